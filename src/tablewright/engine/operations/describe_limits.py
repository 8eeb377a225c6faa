"""DescribeLimits: how much capacity the account and one table may have."""

from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Shape
from tablewright.engine.sessions import Reading
from tablewright.engine.tables.throughput import MOST_ACCOUNT_UNITS, MOST_TABLE_UNITS

NAME = "DescribeLimits"
MODE = "read"
SHAPE = Shape()


def parse(request: dict[str, Any]) -> None:
    """Nothing is asked for."""


def run(tx: Reading, ask: None) -> Reply:
    """AWS's defaults."""
    return {
        "AccountMaxReadCapacityUnits": MOST_ACCOUNT_UNITS,
        "AccountMaxWriteCapacityUnits": MOST_ACCOUNT_UNITS,
        "TableMaxReadCapacityUnits": MOST_TABLE_UNITS,
        "TableMaxWriteCapacityUnits": MOST_TABLE_UNITS,
    }
