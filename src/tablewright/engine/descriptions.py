"""Descriptions: what CreateTable's request becomes in the catalog, and what DescribeTable shows of it.

The catalog keeps the settled description, in which everything is ACTIVE. Statuses and the live figures (item count,
size) are added when it is shown, because the work behind every status is done by the time anybody can ask.
"""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tablewright.engine.arns import index_arn, stream_arn, table_arn
from tablewright.engine.catalog import Table
from tablewright.engine.sessions import Writing

Description = dict[str, Any]


def describe_new(request: Mapping[str, Any], region: str, now: float) -> Description:
    """The settled description of a table to be created."""
    arn = table_arn(region, request["TableName"])
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    description: Description = {
        "AttributeDefinitions": request["AttributeDefinitions"],
        "TableName": request["TableName"],
        "KeySchema": request["KeySchema"],
        "CreationDateTime": now,
        "ProvisionedThroughput": throughput(request.get("ProvisionedThroughput")),
        "TableArn": arn,
        "TableId": str(uuid.uuid4()),
        "DeletionProtectionEnabled": bool(request.get("DeletionProtectionEnabled")),
    }
    if on_demand:
        description["BillingModeSummary"] = on_demand_since(now)
    if request.get("LocalSecondaryIndexes"):
        description["LocalSecondaryIndexes"] = [
            _describe_index(index, arn) for index in request["LocalSecondaryIndexes"]
        ]
    if request.get("GlobalSecondaryIndexes"):
        description["GlobalSecondaryIndexes"] = [
            describe_global_index(index, arn) for index in request["GlobalSecondaryIndexes"]
        ]
    return description


def throughput(asked: Mapping[str, Any] | None) -> dict[str, Any]:
    """The `ProvisionedThroughput` member; zeros when the table is billed by request."""
    units = asked or {}
    return {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": units.get("ReadCapacityUnits", 0),
        "WriteCapacityUnits": units.get("WriteCapacityUnits", 0),
    }


def on_demand_since(now: float) -> dict[str, Any]:
    """The `BillingModeSummary` member of a table billed by request."""
    return {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": now}


def _describe_index(index: Mapping[str, Any], table: str) -> Description:
    return {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexArn": index_arn(table, index["IndexName"]),
    }


def describe_global_index(index: Mapping[str, Any], table: str) -> Description:
    """The settled description of a global index, from its table's ARN."""
    return {
        **_describe_index(index, table),
        "ProvisionedThroughput": throughput(index.get("ProvisionedThroughput")),
    }


def open_stream(definition: dict[str, Any], number: int, view_type: str, now: float) -> None:
    """Add a stream to a definition. Labels are times; two streams of a table never share one."""
    streams = definition.setdefault("Streams", [])
    label = _label(now)
    while any(stream["Label"] == label for stream in streams):
        now += 0.001
        label = _label(now)
    description = definition["Description"]
    arn = stream_arn(description["TableArn"], label)
    streams.append(
        {"Id": number, "Arn": arn, "Label": label, "ViewType": view_type, "Created": now, "Closed": None}
    )
    description["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view_type}
    description["LatestStreamLabel"] = label
    description["LatestStreamArn"] = arn


def _label(now: float) -> str:
    moment = datetime.fromtimestamp(round(now, 3), UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")


def show(tx: Writing, table: Table, status: str = "ACTIVE", index_status: str = "ACTIVE") -> Description:
    """A table's description with its status and its live figures."""
    shown: Description = {**table.description, "TableStatus": status}
    shown["ItemCount"], shown["TableSizeBytes"] = tx.totals(table)
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if member in shown:
            shown[member] = [_show_index(tx, table, entry) for entry in shown[member]]
    for entry in shown.get("GlobalSecondaryIndexes", ()):
        entry["IndexStatus"] = index_status
    return shown


def _show_index(tx: Writing, table: Table, entry: Mapping[str, Any]) -> Description:
    shown = dict(entry)
    index = table.index(entry["IndexName"])
    assert index is not None
    shown["ItemCount"], shown["IndexSizeBytes"] = tx.totals(index)
    return shown
