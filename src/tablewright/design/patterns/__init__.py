"""Access patterns and the plans they compile to."""
