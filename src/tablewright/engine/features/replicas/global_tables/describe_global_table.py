"""DescribeGlobalTable: there are no global tables of version 2017.11.29, so none is found."""

from typing import Any, NoReturn

from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.replicas.global_tables.legacy_global_tables import GLOBAL_TABLE_NAME
from tablewright.errors import GlobalTableNotFound

NAME = "DescribeGlobalTable"
MODE = "read"
SHAPE = Shape(GlobalTableName=GLOBAL_TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The name of the global table."""
    return request["GlobalTableName"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> NoReturn:
    """Reject the request as AWS does."""
    raise GlobalTableNotFound(f"Global table not found: Global table with name: '{request}' does not exist.")
