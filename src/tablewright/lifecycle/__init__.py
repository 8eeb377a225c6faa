"""Lifecycle: from a design to tables that live, and back: deploying, migrating, checking, backing up."""
