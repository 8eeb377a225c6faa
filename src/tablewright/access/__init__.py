"""Typed access to a design: patterns become requests, items become entities; writes keep keys, copies, locks true."""
