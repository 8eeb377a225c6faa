"""Global tables of version 2017.11.29: their operations, which reject every request but those of no effect."""
