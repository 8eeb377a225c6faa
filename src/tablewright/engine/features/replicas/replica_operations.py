"""CreateReplica, ReadReplica and DeleteReplica: what regions call of each other; not operations of AWS."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Operation, Reply, create_table
from tablewright.engine.core.requests.shapes import AnyValue, Number, Structure, Text, required, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.replicas.membership import (
    create_replica,
    delete_replica,
    require_description,
    require_group,
    require_time_to_live,
)
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.features.replicas.versions import Place, read_page
from tablewright.engine.features.streams.stream_settings import STREAM
from tablewright.errors import ValidationError

REPLICATION = "TablewrightReplicas_20261116"
"""The target prefix of the operations that regions call of each other."""
_DOCUMENT = required(Structure("Document", members={}))
_CREATE_REPLICA = TableShape(
    TableName=TABLE_NAME,
    Description=_DOCUMENT,
    Replication=required(structure("Document", Group=required(Text(shortest=1, longest=64)))),
    TimeToLive=AnyValue(),
)
_INDEXES = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes")


def _parse_create_replica(request: dict[str, Any]) -> dict[str, Any]:
    """The request as it is, if it can be one of another region: CreateTable would accept the table."""
    replication, description = request["Replication"], request["Description"]
    if description.get("TableName") != request["TableName"]:
        raise ValidationError("Description.TableName must be the TableName of the request")
    requested = _creation(description)
    create_table.SHAPE.check(requested)
    require_description(description)
    stream = description.get("StreamSpecification")
    if not STREAM.accepts(stream) or not stream.get("StreamViewType"):
        raise ValidationError(
            "Description.StreamSpecification is malformed; a table with replicas has a stream"
        )
    create_table.parse(_billed(requested, description))
    require_group(replication.get("Members"), replication.get("Settings"))
    require_time_to_live(request.get("TimeToLive"))
    return request


def _creation(description: Mapping[str, Any]) -> dict[str, Any]:
    """The request to create a table with the keys and indexes of a description."""
    requested = {name: description.get(name) for name in ("TableName", "AttributeDefinitions", "KeySchema")}
    for member in _INDEXES:
        if member in description:
            indexes = description[member]
            if not isinstance(indexes, list) or not all(isinstance(index, dict) for index in indexes):
                raise ValidationError(f"Description.{member} is malformed")
            requested[member] = [_without_capacity(index) for index in indexes]
    return requested


def _without_capacity(index: Mapping[str, Any]) -> dict[str, Any]:
    capacity = ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput")
    return {name: value for name, value in index.items() if name not in capacity}


def _billed(requested: dict[str, Any], description: Mapping[str, Any]) -> dict[str, Any]:
    """The request with its billing mode and units, and the definitions of the attributes that keys name."""
    mode = description.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
    keys = [*requested["KeySchema"]]
    for member in _INDEXES:
        for index in requested.get(member, ()):
            keys += (index.get("KeySchema") or []) + (index.get("SearchSchema") or [])
    used = {key["AttributeName"] for key in keys}
    definitions = [
        attribute for attribute in requested["AttributeDefinitions"] if attribute["AttributeName"] in used
    ]
    billed = {**requested, "AttributeDefinitions": definitions, "BillingMode": mode}
    if mode == "PROVISIONED":
        billed["ProvisionedThroughput"] = description["ProvisionedThroughput"]
        if "GlobalSecondaryIndexes" in billed:
            indexes = zip(
                billed["GlobalSecondaryIndexes"], description["GlobalSecondaryIndexes"], strict=True
            )
            billed["GlobalSecondaryIndexes"] = [
                {**index, "ProvisionedThroughput": described["ProvisionedThroughput"]}
                for index, described in indexes
            ]
    return billed


def _run_create_replica(tx: Writing, request: dict[str, Any]) -> Reply:
    """Create the replica, which then copies the items of the region that created it."""
    create_replica(tx, request)
    links_of(tx.state).wake_replication()
    return {}


# The items of a page are read in the same commit as the feed.
_READ_REPLICA = TableShape(
    TableName=TABLE_NAME,
    Group=required(Text()),
    Region=required(Text()),
    Epoch=Text(),
    Number=required(Number(least=0, most=1 << 62)),
    CopyFrom=Text(pattern="([0-9a-f]{2})*"),
)


def _parse_read_replica(request: dict[str, Any]) -> Place:
    """The position of the reader."""
    copy_from = request.get("CopyFrom")
    return Place(
        table=request["TableName"],
        group=request["Group"],
        region=request["Region"],
        epoch=request.get("Epoch"),
        number=int(request["Number"]),
        copy_from=None if copy_from is None else bytes.fromhex(copy_from),
    )


def _run_read_replica(tx: Reading, request: Place) -> Reply:
    """Read the next page."""
    return read_page(tx, request)


_DELETE_REPLICA = TableShape(
    TableName=TABLE_NAME, Group=required(Text()), Number=required(Number(least=0, most=1 << 62))
)


@dataclass(frozen=True, slots=True)
class DeleteReplica:
    """Parsed DeleteReplica request: the table, its group, and the last change that the caller has read."""

    table: str
    group: str
    number: int


def _parse_delete_replica(request: dict[str, Any]) -> DeleteReplica:
    """Parse the request."""
    return DeleteReplica(request["TableName"], request["Group"], int(request["Number"]))


def _run_delete_replica(tx: Writing, request: DeleteReplica) -> Reply:
    """Delete the replica, unless it has changes that the caller has not read."""
    return {"Deleted": delete_replica(tx, request.table, request.group, request.number)}


OPERATIONS = (
    Operation(
        "CreateReplica", _CREATE_REPLICA, "write", _parse_create_replica, _run_create_replica, api=REPLICATION
    ),
    Operation(
        "ReadReplica", _READ_REPLICA, "snapshot", _parse_read_replica, _run_read_replica, api=REPLICATION
    ),
    Operation(
        "DeleteReplica", _DELETE_REPLICA, "write", _parse_delete_replica, _run_delete_replica, api=REPLICATION
    ),
)
