"""Tags: managing them, and attaching them to resources."""
