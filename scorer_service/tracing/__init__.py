"""Traces of what the server does, as decorators at the seams of the other packages; none when off."""
