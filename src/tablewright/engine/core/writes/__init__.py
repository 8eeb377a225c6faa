"""Writes: requested changes of items, checked against their tables and the current items."""
