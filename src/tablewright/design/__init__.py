"""The design language: tables, keys, indexes, entities and access patterns, as data. It knows no engine."""
