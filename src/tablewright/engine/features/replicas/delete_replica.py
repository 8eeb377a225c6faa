"""DeleteReplica: delete the replica of a table in this region, for another region; not an operation of AWS."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import REPLICATION, Reply
from tablewright.engine.core.requests.shapes import Number, Text, required
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.replicas.membership import delete_replica

NAME = "DeleteReplica"
MODE = "write"
API = REPLICATION
SHAPE = TableShape(
    TableName=TABLE_NAME, Group=required(Text()), Number=required(Number(least=0, most=1 << 62))
)


@dataclass(frozen=True, slots=True)
class DeleteReplica:
    """Parsed DeleteReplica request: the table, its group, and the last change that the caller has read."""

    table: str
    group: str
    number: int


def parse(request: dict[str, Any]) -> DeleteReplica:
    """Parse the request."""
    return DeleteReplica(request["TableName"], request["Group"], int(request["Number"]))


def run(tx: Writing, request: DeleteReplica) -> Reply:
    """Delete the replica, unless it has changes that the caller has not read."""
    return {"Deleted": delete_replica(tx, request.table, request.group, request.number)}
