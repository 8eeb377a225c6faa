"""Rules that a declaration must keep, checked when the class is defined."""
