"""The embedded DynamoDB: one `Database` with one entrance, `execute`, and one module for each operation."""
