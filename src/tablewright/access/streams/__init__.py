"""Stream handling: from a table's stream records to typed events and their handlers."""
