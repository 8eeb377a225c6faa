"""The state of a database, below every session: catalog, clock, key schemas, tallies, sequence numbers, sweep timer."""
