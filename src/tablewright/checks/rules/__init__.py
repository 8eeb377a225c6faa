"""The rules, one a file, by stable codes: TW0 declarations, TW1 keys, TW2 time, TW3 patterns, TW4 load, TW5 secrets."""
