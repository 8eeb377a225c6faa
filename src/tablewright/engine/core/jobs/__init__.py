"""Jobs: work that continues after the reply to its request, and its records."""
