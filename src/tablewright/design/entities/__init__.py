"""Entities and the migrations of what they store."""
