"""Layouts: how entities are stored, as data, and what can be derived from field declarations."""
