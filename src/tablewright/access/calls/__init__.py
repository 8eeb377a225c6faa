"""Calls: procedures yield calls; runners make them, sync or async; retryable errors are retried."""
