"""Replicas: the same table in several regions, each of which can be written (global tables, version 2019.11.21)."""
