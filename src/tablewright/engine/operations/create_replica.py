"""CreateReplica: create the replica of a table in this region, for another region; not an operation of AWS."""

from typing import Any

from tablewright.engine.operations import REPLICATION, Reply
from tablewright.engine.replicas.membership import create_replica
from tablewright.engine.requests.shapes import AnyValue, Structure, required
from tablewright.engine.sessions import Writing
from tablewright.engine.state.key_schema import KeySchema
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.errors import ValidationError

NAME = "CreateReplica"
MODE = "write"
API = REPLICATION
_DOCUMENT = required(Structure("Document", members={}))
SHAPE = TableShape(TableName=TABLE_NAME, Description=_DOCUMENT, Replication=_DOCUMENT, TimeToLive=AnyValue())


def parse(request: dict[str, Any]) -> dict[str, Any]:
    """The request as it is, if it can be one of another region."""
    try:
        replication, description = request["Replication"], request["Description"]
        KeySchema.compile(description["KeySchema"], description["AttributeDefinitions"])
        is_complete = (
            description["TableName"] == request["TableName"]
            and type(replication["Group"]) is str
            and all(entry["Status"] and entry["Changed"] for entry in replication["Members"].values())
            and all(entry["Changed"] for entry in replication["Settings"].values())
            and bool(description["StreamSpecification"]["StreamViewType"])
            and "Billing" in replication["Settings"]
        )
    except (AttributeError, LookupError, TypeError, ValueError):
        is_complete = False
    if not is_complete:
        raise ValidationError("CreateReplica is called by the servers of other regions only")
    return request


def run(tx: Writing, request: dict[str, Any]) -> Reply:
    """Create the replica, which then copies the items of the region that created it."""
    create_replica(tx, request)
    tx.state.wake_replication()
    return {}
