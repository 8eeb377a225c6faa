"""Tables: what may be created and changed, and how it is described."""
