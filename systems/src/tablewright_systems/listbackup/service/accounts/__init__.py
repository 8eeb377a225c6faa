"""Accounts: creating and closing them, their hierarchy and their limits."""
