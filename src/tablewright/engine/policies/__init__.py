"""Resource policies: documents that are attached to tables and streams."""
