"""Running a server: its devices in and out of use, draining, and room on its disk."""
