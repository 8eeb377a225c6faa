"""Kinesis destinations: changes of tables, written to files that stand for Kinesis data streams."""
