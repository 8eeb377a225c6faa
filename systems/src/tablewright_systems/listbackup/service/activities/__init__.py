"""Activities: writing the audit trail, and reading it."""
