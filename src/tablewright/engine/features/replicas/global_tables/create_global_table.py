"""CreateGlobalTable: AWS does not create global tables of version 2017.11.29 any more, and rejects every request."""

from typing import Any, NoReturn

from tablewright.engine.core.requests.shapes import ListOf, Shape, Text, required, structure
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.replicas.global_tables.legacy_global_tables import (
    GLOBAL_TABLE_NAME,
    version_not_supported,
)

NAME = "CreateGlobalTable"
MODE = "read"
SHAPE = Shape(
    GlobalTableName=GLOBAL_TABLE_NAME,
    ReplicationGroup=required(ListOf(structure("Replica", RegionName=Text()))),
)


def parse(request: dict[str, Any]) -> None:
    """Nothing is needed of the request."""


def run(tx: Reading, request: None) -> NoReturn:
    """Reject the request as AWS does."""
    raise version_not_supported()
