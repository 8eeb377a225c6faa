"""Operations: backups, exports and imports, migrations, integrity checks, expiry, and switches of the engine."""
