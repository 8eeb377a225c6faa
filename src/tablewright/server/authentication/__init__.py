"""Authentication: who signed a request, and which policies hold for that caller."""
