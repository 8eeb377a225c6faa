"""The items view: reading pages of items, filters, index states, references, copies and locks."""
