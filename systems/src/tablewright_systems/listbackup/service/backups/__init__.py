"""Backups, exports and uploads: their archives, reading them, comparing them, and how long they are kept."""
