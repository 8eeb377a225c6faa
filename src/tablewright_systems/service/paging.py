"""Pagination: the size of a page."""

DEFAULT_LIMIT = 20
"""Items in a page, unless the client asks for another number."""
