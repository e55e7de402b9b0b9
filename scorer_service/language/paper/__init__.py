"""Data of profile `paper`: fetched from the hub, converted and encoded once, then read by every server."""
