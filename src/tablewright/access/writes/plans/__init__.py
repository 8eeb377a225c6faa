"""Plan writes: compute the actions of a write from what is known and, where needed, from what is read."""
