"""Rules that a class must satisfy, checked when the class is defined."""
