"""Vector indexes: their rows, and exact search for the nearest vectors."""
