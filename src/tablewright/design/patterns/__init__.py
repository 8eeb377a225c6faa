"""Access patterns, and the compiler that turns each into a plan."""
