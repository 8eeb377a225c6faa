"""Tables, indexes and billing: what is deployed, as data."""
