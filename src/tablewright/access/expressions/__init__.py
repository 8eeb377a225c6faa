"""Expression text for requests: placeholders for names and values, and conditions written in DynamoDB's syntax."""
