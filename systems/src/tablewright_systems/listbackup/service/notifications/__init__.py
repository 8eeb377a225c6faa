"""Notifications: creating, reading and delivering them."""
