"""ListGlobalTables: there are no global tables of version 2017.11.29; tables with replicas are not listed."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading

NAME = "ListGlobalTables"
MODE = "read"
SHAPE = Shape(
    ExclusiveStartGlobalTableName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    Limit=Number(least=1),
    RegionName=Text(),
)


def parse(request: dict[str, Any]) -> None:
    """Nothing is needed of the request."""


def run(tx: Reading, request: None) -> Reply:
    """An empty list."""
    return {"GlobalTables": []}
