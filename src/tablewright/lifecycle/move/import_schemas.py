"""Import schemas: the keys and indexes of a new table that is imported like another one.

An import cannot create local indexes.
"""

from typing import Any

from tablewright.connections import Connection
from tablewright.dynamodb.values.vectors import vector_index_definition


def import_schema(connection: Connection, table: str) -> dict[str, Any]:
    """Return the keys, global and vector indexes of a table, for `TableCreationParameters`."""
    found = connection.call("DescribeTable", {"TableName": table})["Table"]
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in found.get("GlobalSecondaryIndexes", ())
    ]
    vector_indexes = [vector_index_definition(index) for index in found.get("VectorIndexes", ())]
    schemas = [
        found["KeySchema"],
        *(index["KeySchema"] for index in indexes),
        *(index.get("SearchSchema", ()) for index in vector_indexes),
    ]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    definitions = [each for each in found["AttributeDefinitions"] if each["AttributeName"] in used]
    schema = {"KeySchema": found["KeySchema"], "AttributeDefinitions": definitions}
    lists = {"GlobalSecondaryIndexes": indexes, "VectorIndexes": vector_indexes}
    return schema | {name: members for name, members in lists.items() if members}
