"""Anchors measured on the devices of this machine."""
