"""Table definitions: what the catalog stores of a table."""

from typing import Any

from tablewright.engine.core.sessions import Writing


def new_definition(
    tx: Writing, description: dict[str, Any], tags: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the definition of a new table, with an empty space for its items and for each of its indexes."""
    spaces = {"": tx.new_space()}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        for index in description.get(member, ()):
            spaces[index["IndexName"]] = tx.new_space()
    return {
        "Id": spaces[""],
        "Spaces": spaces,
        "Description": description,
        "Streams": [],
        "Tags": tags or {},
    }
