"""Typed access to a design: patterns become requests, items become entities; writes maintain keys, copies and locks."""
