"""Jobs: work that continues after its request was answered, and the records kept about it."""
