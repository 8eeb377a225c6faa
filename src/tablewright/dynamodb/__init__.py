"""What DynamoDB is, as pure modules: values, sizes, capacity, key bytes, expressions, policies, the clock.

The language and the engine share this package and nothing else.
"""
