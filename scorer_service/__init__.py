"""The scoring service. It never imports torch: what needs a device runs in a worker."""

__version__ = "0.1.0"
