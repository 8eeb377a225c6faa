"""Vector indexes: their rows, and exact search for the nearest vectors."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="vectors",
    operations={
        "SearchVectors": "search_vectors",
    },
)
