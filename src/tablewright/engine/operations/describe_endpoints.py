"""DescribeEndpoints: where requests of this region go."""

from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Shape
from tablewright.engine.sessions import Reading

NAME = "DescribeEndpoints"
MODE = "read"
SHAPE = Shape()


def parse(request: dict[str, Any]) -> None:
    """Nothing is asked for."""


def run(tx: Reading, ask: None) -> Reply:
    """One address, to be kept for a day."""
    return {"Endpoints": [{"Address": tx.state.address, "CachePeriodInMinutes": 1440}]}
