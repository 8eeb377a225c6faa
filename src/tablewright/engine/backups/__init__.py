"""Backups: backups, point-in-time recovery, and exports and imports of tables as files in a bucket."""
