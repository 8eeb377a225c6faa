"""DynamoDB's limits that both the engine and the language know."""

MAX_ITEM_SIZE = 400 * 1024
"""Bytes of an item, with the names of its attributes."""
MAX_COLLECTION_SIZE = 10 * 1024**3
"""Bytes of the items with one partition key value, in a table with local indexes and in these indexes."""
MAX_PARTITION_KEY = 2048
"""Bytes of a partition key value."""
MAX_SORT_KEY = 1024
"""Bytes of a sort key value."""
MAX_PROJECTED = 100
"""Attributes that all indexes of a table project by name (`INCLUDE`)."""
MAX_TRANSACTION = 100
"""Actions of TransactWriteItems and TransactGetItems."""
MAX_BATCH_WRITES = 25
"""Puts and deletes of BatchWriteItem."""
MAX_BATCH_KEYS = 100
"""Keys of BatchGetItem."""
MAX_EXPRESSION_SIZE = 4096
"""Bytes of an expression."""
MAX_PLACEHOLDER = 255
"""Bytes of a placeholder in an expression, with its `#` or `:`."""

MAX_VECTOR_INDEXES = 5
"""Vector indexes of a table."""
MAX_DIMENSIONS = 4096
"""Numbers of a vector."""
MAX_INLINE_FILTERS = 18
"""Filters of a vector index."""
MAX_SEARCH_RESULTS = 100
"""Results of one SearchVectors."""
