"""Streams: stream records become typed events, which are delivered to listeners."""
