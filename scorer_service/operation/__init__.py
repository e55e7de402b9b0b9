"""Running a server: its devices in and out of use, and draining."""
