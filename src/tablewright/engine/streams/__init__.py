"""Streams: what happened to items, in order, for a day."""
