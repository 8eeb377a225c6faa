"""The core of the engine: tables, items, reads and writes. It knows no feature."""
