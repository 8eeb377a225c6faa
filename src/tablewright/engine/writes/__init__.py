"""Writes: what a request wants done to items, held against what is there."""
