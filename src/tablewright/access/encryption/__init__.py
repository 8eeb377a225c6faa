"""Encrypted and hashed fields: master keys, data keys, the vault that seals and opens, key rotation."""
