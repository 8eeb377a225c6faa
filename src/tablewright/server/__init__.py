"""The wire: DynamoDB's protocol over HTTP, for any client in any language."""
