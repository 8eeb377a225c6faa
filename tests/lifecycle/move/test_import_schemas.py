"""The schema of a table that is imported like another one."""

from tablewright import embedded
from tablewright.lifecycle.move.import_schemas import import_schema
from tests.engine.features.faults.faulty_table import TABLE


def test_keys_and_global_indexes_are_taken_and_unused_definitions_left_out() -> None:
    local = {
        "IndexName": "by-time",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "time", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }
    table = TABLE | {
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "group", "time")
        ],
        "LocalSecondaryIndexes": [local],
    }
    with embedded() as db:
        db.call("CreateTable", table)
        schema = import_schema(db, "things")
    assert schema["KeySchema"] == table["KeySchema"]
    assert [index["IndexName"] for index in schema["GlobalSecondaryIndexes"]] == ["by-group"]
    assert {each["AttributeName"] for each in schema["AttributeDefinitions"]} == {"pk", "sk", "group"}
    assert "LocalSecondaryIndexes" not in schema
