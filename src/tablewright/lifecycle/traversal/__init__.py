"""Traversal: walk over every item of a table in segments, with checkpoints and a rate limit."""
