"""Backups: copies of tables, tables as they were at a moment, and tables as files in a bucket."""
