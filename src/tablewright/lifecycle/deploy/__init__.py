"""Deployment: from the tables that exist to the tables a design declares."""
