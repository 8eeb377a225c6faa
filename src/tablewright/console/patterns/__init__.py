"""Access patterns in the console: their forms, runs, costs and code."""
