"""Moves: copy the tables of a design to another store while programs write, and follow their changes."""
