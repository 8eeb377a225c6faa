"""Reads: from a request to the rows of a page."""
