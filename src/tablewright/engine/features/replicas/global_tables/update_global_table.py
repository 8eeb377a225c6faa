"""UpdateGlobalTable: AWS does not extend global tables of version 2017.11.29 any more, and there are none."""

from typing import Any, NoReturn

from tablewright.engine.core.requests.shapes import ListOf, Shape, Text, required, structure
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.replicas.global_tables.legacy_global_tables import (
    GLOBAL_TABLE_NAME,
    not_found,
    version_not_supported,
)
from tablewright.errors import ValidationError

NAME = "UpdateGlobalTable"
MODE = "read"
_REGION = required(Text())
SHAPE = Shape(
    GlobalTableName=GLOBAL_TABLE_NAME,
    ReplicaUpdates=required(
        ListOf(
            structure(
                "ReplicaUpdate",
                Create=structure("CreateReplicaAction", RegionName=_REGION),
                Delete=structure("DeleteReplicaAction", RegionName=_REGION),
            )
        )
    ),
)


def parse(request: dict[str, Any]) -> str:
    """The name of the global table; a new replica is rejected before the table is searched."""
    updates = request["ReplicaUpdates"]
    if not updates:
        raise ValidationError("One or more parameter values were invalid")
    if any(update.get("Create") for update in updates):
        raise version_not_supported()
    return request["GlobalTableName"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> NoReturn:
    """Reject the request as AWS does."""
    raise not_found(request)
