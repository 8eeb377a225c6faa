"""Snapshots: backups, point-in-time recovery, and the tables restored from them."""
