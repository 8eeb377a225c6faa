"""A compiled table with a range key, a local and a global index, for tests that need no database."""

from tablewright.engine.core.state.catalog import StoredTable
from tests.engine.core.operations.reading import attributes, index, key

PLAYERS = StoredTable.compile(
    {
        "Id": 16,
        "Spaces": {"": 16, "by-pos": 17, "by-city": 18},
        "Description": {
            "TableName": "players",
            "AttributeDefinitions": attributes(team="S", nick="S", pos="N", city="S"),
            "KeySchema": key("team", "nick"),
            "LocalSecondaryIndexes": [index("by-pos", key("team", "pos"), "note")],
            "GlobalSecondaryIndexes": [index("by-city", key("city"), "note")],
        },
    }
)
LOCAL, GLOBAL = PLAYERS.index("by-pos"), PLAYERS.index("by-city")
assert LOCAL is not None
assert GLOBAL is not None
