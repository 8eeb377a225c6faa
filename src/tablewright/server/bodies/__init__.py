"""Large request bodies: how much memory they may use, and in which turns they are read."""
