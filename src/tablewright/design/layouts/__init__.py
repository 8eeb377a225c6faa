"""Layouts: what a class declares about its stored items, worked out once."""
