"""Integrity checks: find stored items that differ from what the design would store, and repair them."""
