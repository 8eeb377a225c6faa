"""Contributor insights: which keys of a table or index are accessed and throttled most."""
