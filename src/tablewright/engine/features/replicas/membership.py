"""Membership: how the replica of a region is created and deleted, on request of another region of its group."""

import uuid
from copy import deepcopy
from typing import Any

from tablewright.engine.core.jobs import row_removals
from tablewright.engine.core.requests.arns import index_arn, table_arn
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.core.table_removal import remove_table
from tablewright.engine.core.tables.table_definitions import SHARED_SETTINGS, new_definition
from tablewright.engine.core.tables.table_settings import open_stream
from tablewright.engine.features.replicas.change_pages import replica_of
from tablewright.engine.features.replicas.invitation_rules import require_invited
from tablewright.engine.features.replicas.replica_groups import live_members
from tablewright.engine.features.replicas.settings_sync import apply_settings
from tablewright.engine.features.replicas.versions import last_number
from tablewright.errors import ResourceInUse

_REGIONAL = (
    "SSEDescription",
    "StreamSpecification",
    "LatestStreamArn",
    "LatestStreamLabel",
    "RestoreSummary",
    "TableClassSummary",
)


def invitation(table: Table) -> dict[str, Any]:
    """What another region needs to know to create its replica."""
    return {
        "TableName": table.name,
        "Description": table.description,
        **{setting.name: table.definition.get(setting.name) for setting in SHARED_SETTINGS},
        "Replication": table.definition["Replication"],
    }


def create_replica(tx: Writing, request: dict[str, Any]) -> None:
    """Create the empty replica of this region; repeating the request changes nothing."""
    catalog, group = tx.state.catalog, request["Replication"]["Group"]
    name = request["TableName"]
    found = catalog.find(name)
    if found is not None and (found.definition.get("Replication") or {}).get("Group") == group:
        return
    if found is not None or catalog.announced(tx.rows, name):
        raise ResourceInUse(f"Table already exists: {name}")
    require_invited(request, tx.state.region)
    now = round(tx.now(), 3)
    definition = new_definition(tx, _description(request["Description"], tx.state.region, now))
    view = request["Description"]["StreamSpecification"]["StreamViewType"]
    open_stream(definition, catalog.next_number(tx.rows), view, now)
    definition["Replication"] = {
        **request["Replication"],
        "Space": tx.new_space(),
        "Epoch": str(uuid.uuid4()),
    }
    for setting in SHARED_SETTINGS:
        if request.get(setting.name):
            setting.apply(tx, None, definition, request[setting.name])
    table = catalog.save(tx.rows, definition)
    for setting in SHARED_SETTINGS:
        setting.saved(tx, None, table)
    apply_settings(tx, table)


def _description(source: dict[str, Any], region: str, now: float) -> dict[str, Any]:
    description = {name: value for name, value in deepcopy(source).items() if name not in _REGIONAL}
    arn = table_arn(region, source["TableName"])
    description |= {
        "TableArn": arn,
        "TableId": str(uuid.uuid4()),
        "CreationDateTime": now,
        "DeletionProtectionEnabled": False,
    }
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        for index in description.get(member, ()):
            index["IndexArn"] = index_arn(arn, index["IndexName"])
    return description


def delete_replica(tx: Writing, name: str, group: str, read: int) -> bool:
    """Delete the replica of this region if the caller has read its whole feed; return whether it is deleted.

    The check and the deletion are one transaction: no change of this region is lost.
    """
    table = replica_of(tx, name, group)
    replication = table.definition["Replication"]
    is_busy = "Building" in table.definition or "Deleting" in table.definition
    if is_busy or last_number(tx.rows, replication["Space"]) > read:
        return False
    remove_table(tx, table)
    return True


def dissolve(tx: Writing, name: str, group: str) -> None:
    """End the replication of a table whose other replicas have all left; delete the table if it is leaving too."""
    table = replica_of(tx, name, group)
    members = live_members(table.definition)
    if members.keys() - {tx.state.region}:
        return
    if members[tx.state.region]["Status"] == "DELETING":
        if "Building" not in table.definition and "Deleting" not in table.definition:
            remove_table(tx, table)
        return
    definition = {key: value for key, value in table.definition.items() if key != "Replication"}
    tx.state.catalog.save(tx.rows, definition)
    assert table.replica_space is not None
    row_removals.remove_spaces(tx, [table.replica_space])


def remove_last(tx: Writing, name: str, group: str) -> bool:
    """Delete a replica that leaves when all other regions have lost theirs; return whether it is deleted."""
    table = replica_of(tx, name, group)
    is_busy = "Building" in table.definition or "Deleting" in table.definition
    if is_busy or live_members(table.definition)[tx.state.region]["Status"] != "DELETING":
        return False
    remove_table(tx, table)
    return True
