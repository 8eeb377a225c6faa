"""Imports: a new table from files in a bucket."""
