"""Changes of items: versions, streams, and restores."""
