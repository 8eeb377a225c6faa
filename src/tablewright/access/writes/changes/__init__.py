"""Changes of an update: validated, with the automatic fields and everything else that changes with them."""
