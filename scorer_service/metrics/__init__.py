"""Metrics as decorators round the seams: the core has none in it."""
