"""Table descriptions: from a CreateTable request to the catalog, and from the catalog to DescribeTable.

The catalog keeps the final description, in which everything is ACTIVE. Statuses and the live counts (item count,
size) are added when it is shown: the work is complete before any client can see a status.
"""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.requests.arns import index_arn, table_arn, table_name
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_rules import Entry
from tablewright.engine.core.tables.table_settings import describe_encryption, is_encryption_requested
from tablewright.engine.core.tables.throughput import (
    decreases_today,
    initial_warm_throughput,
    maxima_of,
    throughput,
)

Description = dict[str, Any]

OTHER_INDEX_DESCRIPTIONS: Plug[Callable[[Entry, str], Description]] = Plug()
"""The description of the indexes of another kind, from a CreateTable request and the ARN of the table."""
SHOWN_ANNOUNCEMENTS: Plug[Callable[[StoredTable], Mapping[str, Any]]] = Plug()
"""What DescribeTable shows besides of a table that is announced."""
SHOWN_TABLES: Plug[Callable[[Description, StoredTable, str], None]] = Plug()
"""Adds what DescribeTable shows of a table, in a region."""


def describe_new(request: Entry, region: str, now: float) -> Description:
    """The final description of a new table."""
    name = table_name(request["TableName"])
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    description: Description = {
        "AttributeDefinitions": describe_definitions(request["AttributeDefinitions"]),
        "TableName": name,
        "KeySchema": _describe_keys(request["KeySchema"]),
        "CreationDateTime": now,
        "TableArn": table_arn(region, name),
        "TableId": str(uuid.uuid4()),
        "DeletionProtectionEnabled": bool(request.get("DeletionProtectionEnabled")),
        **_describe_billing(request, on_demand=on_demand),
    }
    if on_demand:
        description["BillingModeSummary"] = on_demand_since(now)
    if request.get("TableClass"):
        description["TableClassSummary"] = {"TableClass": request["TableClass"]}
    if is_encryption_requested(request.get("SSESpecification")):
        description["SSEDescription"] = describe_encryption(request["SSESpecification"], region)
    _describe_indexes(description, request, on_demand=on_demand)
    return description


def _describe_indexes(description: Description, request: Entry, *, on_demand: bool) -> None:
    arn = description["TableArn"]
    if request.get("LocalSecondaryIndexes"):
        description["LocalSecondaryIndexes"] = [
            _describe_index(index, arn) for index in request["LocalSecondaryIndexes"]
        ]
    if request.get("GlobalSecondaryIndexes"):
        description["GlobalSecondaryIndexes"] = [
            describe_global_index(index, arn, on_demand=on_demand)
            for index in request["GlobalSecondaryIndexes"]
        ]
    for describe in OTHER_INDEX_DESCRIPTIONS:
        description |= describe(request, arn)


def describe_definitions(definitions: list[Entry]) -> list[Description]:
    """Attribute definitions, sorted by name as AWS shows them."""
    described = ({name: entry[name] for name in ("AttributeName", "AttributeType")} for entry in definitions)
    return sorted(described, key=lambda entry: entry["AttributeName"])


def _describe_keys(keys: list[Entry]) -> list[Description]:
    return [{name: key[name] for name in ("AttributeName", "KeyType")} for key in keys]


def _describe_billing(entry: Entry, *, on_demand: bool) -> Description:
    described: Description = {
        "ProvisionedThroughput": throughput(entry.get("ProvisionedThroughput")),
        "WarmThroughput": initial_warm_throughput(entry, on_demand=on_demand),
    }
    if maxima := maxima_of(entry.get("OnDemandThroughput")):
        described["OnDemandThroughput"] = maxima
    return described


def on_demand_since(now: float) -> Description:
    """The `BillingModeSummary` member of a table billed by request."""
    return {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": now}


def _describe_index(index: Entry, table: str) -> Description:
    projection = {"ProjectionType": index["Projection"]["ProjectionType"]}
    if index["Projection"].get("NonKeyAttributes"):
        projection["NonKeyAttributes"] = sorted(index["Projection"]["NonKeyAttributes"])
    return {
        "IndexName": index["IndexName"],
        "KeySchema": _describe_keys(index["KeySchema"]),
        "Projection": projection,
        "IndexArn": index_arn(table, index["IndexName"]),
    }


def describe_global_index(index: Entry, table: str, *, on_demand: bool) -> Description:
    """The final description of a global index; `table` is the ARN of its table."""
    return {**_describe_index(index, table), **_describe_billing(index, on_demand=on_demand)}


def show(tx: Reading, table: StoredTable) -> Description:
    """A table's description with live counts; everything is ACTIVE, but an index that a job builds or removes."""
    shown: Description = {**table.description, "TableStatus": "ACTIVE"}
    shown["ItemCount"], shown["TableSizeBytes"] = tx.totals(table)
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        if member in shown:
            shown[member] = [_show_index(tx, table, entry) for entry in shown[member]]
    for entry in (*shown.get("GlobalSecondaryIndexes", ()), *shown.get("VectorIndexes", ())):
        entry["IndexStatus"] = "ACTIVE"
    _show_work(shown, table)
    for show_feature in SHOWN_TABLES:
        show_feature(shown, table, tx.state.region)
    for entry in (shown, *shown.get("GlobalSecondaryIndexes", ())):
        units = entry["ProvisionedThroughput"]
        count = decreases_today(units, tx.now())
        entry["ProvisionedThroughput"] = {**units, "NumberOfDecreasesToday": count}
    return shown


def show_announced(table: StoredTable) -> Description:
    """The description of an announced table: without item counts and warm throughput."""
    shown = {**table.description, "TableStatus": "CREATING", "ItemCount": 0, "TableSizeBytes": 0}
    for details in SHOWN_ANNOUNCEMENTS:
        shown |= details(table)
    shown.pop("WarmThroughput")
    if "BillingModeSummary" in shown:
        shown["BillingModeSummary"] = {"BillingMode": "PAY_PER_REQUEST"}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        if member in shown:
            shown[member] = [_show_empty_index(index) for index in shown[member]]
    return shown


def _show_empty_index(index: Entry) -> Description:
    known = {name: value for name, value in index.items() if name != "WarmThroughput"}
    return known | {"ItemCount": 0, "IndexSizeBytes": 0}


def _show_work(shown: Description, table: StoredTable) -> None:
    """Show the index that is being built, and the one whose rows are being removed."""
    building, deleting = table.definition.get("Building"), table.definition.get("Deleting")
    is_other_index = table.other_index(building or "") is not None
    for entry in (*shown.get("GlobalSecondaryIndexes", ()), *shown.get("VectorIndexes", ())):
        if entry["IndexName"] == building:
            entry.update({"IndexStatus": "CREATING", "Backfilling": True})
    if deleting:
        entry = {**deleting["Index"], "IndexStatus": "DELETING", "ItemCount": 0, "IndexSizeBytes": 0}
        member = "VectorIndexes" if "VectorAttribute" in entry else "GlobalSecondaryIndexes"
        shown[member] = [*shown.get(member, ()), entry]
        shown["AttributeDefinitions"] = deleting["AttributeDefinitions"]
    # While AWS fills a vector index, the table is ACTIVE.
    if deleting or (building and not is_other_index):
        shown["TableStatus"] = "UPDATING"


def _show_index(tx: Reading, table: StoredTable, entry: Entry) -> Description:
    shown = dict(entry)
    name = entry["IndexName"]
    index = table.index(name) or table.other_index(name)
    assert index is not None
    shown["ItemCount"], shown["IndexSizeBytes"] = tx.totals(index)
    return shown


def show_created(tx: Writing, table: StoredTable, request: Mapping[str, Any]) -> Description:
    """The description in CreateTable's reply: everything is CREATING; a requested warm throughput is UPDATING."""
    shown = show(tx, table)
    shown["TableStatus"] = "CREATING"
    _show_requested_warm_throughput(shown, request)
    if "BillingModeSummary" in shown:
        shown["BillingModeSummary"] = {"BillingMode": "PAY_PER_REQUEST"}
    requested = {index["IndexName"]: index for index in request.get("GlobalSecondaryIndexes") or ()}
    for entry in shown.get("GlobalSecondaryIndexes", ()):
        entry["IndexStatus"] = "CREATING"
        _show_requested_warm_throughput(entry, requested[entry["IndexName"]])
    for entry in shown.get("VectorIndexes", ()):
        entry["IndexStatus"] = "CREATING"
    return shown


def _show_requested_warm_throughput(entry: Description, requested: Mapping[str, Any]) -> None:
    warm = entry.pop("WarmThroughput")
    if requested.get("WarmThroughput"):
        entry["WarmThroughput"] = {**warm, "Status": "UPDATING"}


def show_deleted(tx: Writing, table: StoredTable) -> Description:
    """The description in DeleteTable's reply, without keys, indexes and warm throughput."""
    shown = show(tx, table)
    shown["TableStatus"] = "DELETING"
    for member in (
        "AttributeDefinitions",
        "KeySchema",
        "CreationDateTime",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
        "VectorIndexes",
        "WarmThroughput",
    ):
        shown.pop(member, None)
    return shown
