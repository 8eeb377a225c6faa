"""DescribeTimeToLive: show the TTL attribute of a table."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape

NAME = "DescribeTimeToLive"
MODE = "read"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> Reply:
    """The TTL status, with its attribute when enabled."""
    attribute = tx.described(request).ttl_attribute
    if attribute is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}}
