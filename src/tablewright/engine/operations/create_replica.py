"""CreateReplica: create the replica of a table in this region, for another region; not an operation of AWS."""

from typing import Any

from tablewright.engine.operations import REPLICATION, Reply
from tablewright.engine.replicas.membership import create_replica
from tablewright.engine.requests.shapes import AnyValue, Structure, required
from tablewright.engine.sessions import Writing
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape

NAME = "CreateReplica"
MODE = "write"
API = REPLICATION
_DOCUMENT = required(Structure("Document", members={}))
SHAPE = TableShape(TableName=TABLE_NAME, Description=_DOCUMENT, Replication=_DOCUMENT, TimeToLive=AnyValue())


def parse(request: dict[str, Any]) -> dict[str, Any]:
    """The request as it is: it was made by another region of the group."""
    return request


def run(tx: Writing, request: dict[str, Any]) -> Reply:
    """Create the replica, which then copies the items of the region that created it."""
    create_replica(tx, request)
    tx.state.wake_replication()
    return {}
