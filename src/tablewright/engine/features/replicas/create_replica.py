"""CreateReplica: create the replica of a table in this region, for another region; not an operation of AWS."""

from collections.abc import Mapping
from typing import Any

from tablewright.engine.core.operations import REPLICATION, Reply, create_table
from tablewright.engine.core.requests.shapes import AnyValue, Structure, Text, required, structure
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import STREAM, TABLE_NAME, TableShape
from tablewright.engine.features.replicas.invitation_rules import (
    require_description,
    require_group,
    require_time_to_live,
)
from tablewright.engine.features.replicas.membership import create_replica
from tablewright.errors import ValidationError

NAME = "CreateReplica"
MODE = "write"
API = REPLICATION
_DOCUMENT = required(Structure("Document", members={}))
SHAPE = TableShape(
    TableName=TABLE_NAME,
    Description=_DOCUMENT,
    Replication=required(structure("Document", Group=required(Text(shortest=1, longest=64)))),
    TimeToLive=AnyValue(),
)
_INDEXES = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes")


def parse(request: dict[str, Any]) -> dict[str, Any]:
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
    definitions = [each for each in requested["AttributeDefinitions"] if each["AttributeName"] in used]
    billed = {**requested, "AttributeDefinitions": definitions, "BillingMode": mode}
    if mode == "PROVISIONED":
        billed["ProvisionedThroughput"] = description["ProvisionedThroughput"]
        if "GlobalSecondaryIndexes" in billed:
            given = zip(billed["GlobalSecondaryIndexes"], description["GlobalSecondaryIndexes"], strict=True)
            billed["GlobalSecondaryIndexes"] = [
                {**index, "ProvisionedThroughput": described["ProvisionedThroughput"]}
                for index, described in given
            ]
    return billed


def run(tx: Writing, request: dict[str, Any]) -> Reply:
    """Create the replica, which then copies the items of the region that created it."""
    create_replica(tx, request)
    tx.state.wake_replication()
    return {}
