"""State below every session: the catalog, the clock, key schemas, tallies and sequence numbers."""
