"""Editing: staged edits, planned as one transaction, and everything that they touch."""
