"""The rules, one for each module.

Codes are stable: TW0 declarations, TW1 keys, TW2 TTL, TW3 patterns, TW4 load and size, TW5 secrets, TW6 names.
"""
