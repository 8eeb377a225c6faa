"""Add indexes to an existing table (F14), one at a time; the migrations give older items their keys."""

import time
from typing import Any

from tablewright import Repository
from tablewright_systems.goalsguild.design.tables import core

_POLL_INTERVAL = 0.2


def missing_indexes(db: Repository) -> list[str]:
    """Return the indexes of the design that the table lacks."""
    there = {index["IndexName"] for index in _described(db).get("GlobalSecondaryIndexes", [])}
    return [index.name for index in core.indexes if index.name not in there]


def add_indexes(db: Repository) -> list[str]:
    """Add the missing indexes, one at a time: DynamoDB accepts the next when the last one is active."""
    missing = missing_indexes(db)
    definition = core.definition(db.context.environment)
    for created in definition["GlobalSecondaryIndexes"]:
        if created["IndexName"] not in missing:
            continue
        db.connection.call(
            "UpdateTable",
            {
                "TableName": db.context.table_name(core),
                "AttributeDefinitions": definition["AttributeDefinitions"],
                "GlobalSecondaryIndexUpdates": [{"Create": created}],
            },
        )
        wait_until_active(db)
    return missing


def wait_until_active(db: Repository) -> None:
    """Wait until the table and its indexes can be used and changed."""
    while not _is_active(db):
        time.sleep(_POLL_INTERVAL)


def _described(db: Repository) -> dict[str, Any]:
    reply = db.connection.call("DescribeTable", {"TableName": db.context.table_name(core)})
    table: dict[str, Any] = reply["Table"]
    return table


def _is_active(db: Repository) -> bool:
    described = _described(db)
    indexes = described.get("GlobalSecondaryIndexes", [])
    return described["TableStatus"] == "ACTIVE" and all(index["IndexStatus"] == "ACTIVE" for index in indexes)
