"""What the HTTP APIs of the five systems share: authentication, error replies, pages, OpenAPI documents."""
