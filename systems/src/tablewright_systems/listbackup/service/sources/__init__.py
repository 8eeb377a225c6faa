"""Sources: connecting them with a key or by OAuth, their secrets, their sync schedule."""
