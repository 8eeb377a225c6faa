"""Queries in the console: PartiQL and raw requests, their replies, exports and bulk changes."""
