"""One interface to sandboxes, with a backend for each way to make one."""
