"""What the services of the five systems share: errors, pages, transactions, background work."""
