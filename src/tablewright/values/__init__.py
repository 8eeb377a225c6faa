"""Attribute values: what an item is made of, how large it is, how it sorts, how it rests.

Bottom of the building: this room knows nothing of tables, expressions or storage.
"""
