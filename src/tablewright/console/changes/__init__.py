"""Changes of items: staged edits and what they touch, versions, streams, and restores."""
