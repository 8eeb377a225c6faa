"""Lifecycle: deploy the tables of a design, migrate the stored items, and check their integrity."""
