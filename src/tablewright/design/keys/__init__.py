"""Keys: templates of key values, and how values are formatted in them."""
