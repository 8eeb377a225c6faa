"""Encrypted and hashed fields: master keys, data keys, the vault that encrypts and decrypts, key rotation."""
