"""Plans: access patterns compiled to data, with their key conditions and filters."""
