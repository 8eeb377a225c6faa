"""Requests: their shapes, scalars and ARNs, and the messages of validation errors."""
