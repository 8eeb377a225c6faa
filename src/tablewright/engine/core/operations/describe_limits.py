"""DescribeLimits: show the capacity quotas of the account and of one table."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.throughput import MOST_ACCOUNT_UNITS, MOST_TABLE_UNITS

NAME = "DescribeLimits"
MODE = "read"
SHAPE = Shape()


def parse(request: dict[str, Any]) -> None:
    """The request has no parameters."""


def run(tx: Reading, request: None) -> Reply:
    """The default quotas of AWS."""
    return {
        "AccountMaxReadCapacityUnits": MOST_ACCOUNT_UNITS,
        "AccountMaxWriteCapacityUnits": MOST_ACCOUNT_UNITS,
        "TableMaxReadCapacityUnits": MOST_TABLE_UNITS,
        "TableMaxWriteCapacityUnits": MOST_TABLE_UNITS,
    }
