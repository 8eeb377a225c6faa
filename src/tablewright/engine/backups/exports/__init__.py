"""Exports: a table, or its changes between two points in time, as files in a bucket."""
