"""Streams: the changes of items, in order, for 24 hours."""
