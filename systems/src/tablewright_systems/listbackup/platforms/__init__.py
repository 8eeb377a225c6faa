"""Platforms: reading and restoring the records of keap, stripe and gohighlevel over HTTP. Start with `protocol`."""
