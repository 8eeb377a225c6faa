"""Attribute values: validation, sizes, capacity units, key order, and the stored form of items.

This package imports only `errors`: it does not know tables, expressions or storage.
"""
