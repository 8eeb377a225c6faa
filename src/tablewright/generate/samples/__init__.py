"""Sample data: believable entities of a design, and the requests of its patterns that find them."""
