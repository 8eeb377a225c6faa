"""DescribeEndpoints: show the endpoint of this region."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading

NAME = "DescribeEndpoints"
MODE = "read"
SHAPE = Shape()


def parse(request: dict[str, Any]) -> None:
    """The request has no parameters."""


def run(tx: Reading, request: None) -> Reply:
    """One address, which clients may cache for a day."""
    return {"Endpoints": [{"Address": tx.state.address, "CachePeriodInMinutes": 1440}]}
