"""Operations: backups, exports and imports, migrations, expiry, and the switches of the embedded engine."""
