"""The embedded DynamoDB: one `Database`, one gate (`call`), one page for each operation."""
