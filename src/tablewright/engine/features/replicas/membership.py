"""Membership: how the replica of a region is created and deleted, on request of another region of its group.

Invitation rules: the members, settings and description that another region sends, checked before they are stored.

Another region is another server: what it sends may be malformed. A table that was stored with malformed members could
not be replicated, nor shown.
"""

import re
import uuid
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from tablewright.engine.core.jobs import row_removals
from tablewright.engine.core.requests.arns import index_arn, table_arn
from tablewright.engine.core.requests.shapes import (
    Boolean,
    ListOf,
    MapOf,
    Member,
    Number,
    Structure,
    Text,
    one_of,
)
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.table_removal import remove_table
from tablewright.engine.core.tables.table_definitions import SHARED_SETTINGS, new_definition
from tablewright.engine.core.tables.table_rules import names_of, require_defined, require_global_keys
from tablewright.engine.core.tables.table_settings import TABLE_CLASSES
from tablewright.engine.core.tables.table_shapes import (
    ATTRIBUTE_DEFINITIONS,
    ATTRIBUTE_NAME,
    BILLING_MODE,
    INDEX_KEYS,
    INDEX_NAME,
    ON_DEMAND,
    PROJECTION,
)
from tablewright.engine.features.replicas.replica_groups import INDEX, live_members, version_space
from tablewright.engine.features.replicas.settings_sync import apply_settings
from tablewright.engine.features.replicas.versions import last_number, replica_of
from tablewright.engine.features.streams.stream_settings import open_stream
from tablewright.errors import ResourceInUse, ValidationError

_REGION = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _members(**members: Member) -> Structure:
    return Structure("Document", members=members)


_COUNT = Number(least=0, required=True)
_TIME = Number(least=0)
_UNITS = {"ReadCapacityUnits": _COUNT, "WriteCapacityUnits": _COUNT}
_OVERRIDE = {
    "ProvisionedThroughputOverride": _members(ReadCapacityUnits=Number(least=1)),
    "OnDemandThroughputOverride": _members(MaxReadRequestUnits=Number()),
}
_MEMBER = _members(
    Status=one_of("ACTIVE", "CREATING", "DELETED", "DELETING"),
    Since=Number(least=0, required=True),
    Source=Text(),
    KMSMasterKeyId=Text(),
    TableClassOverride=one_of(*TABLE_CLASSES),
    GlobalSecondaryIndexes=MapOf(_members(**_OVERRIDE), "Document"),
    **_OVERRIDE,
)
_TIME_TO_LIVE = _members(AttributeName=ATTRIBUTE_NAME, Enabled=Boolean(required=True))
_CAPACITY: dict[str, Member] = {
    "ProvisionedThroughput": Structure("Document", required=True, members=_UNITS),
    "OnDemandThroughput": ON_DEMAND,
}
_INDEX = _members(
    IndexName=INDEX_NAME,
    KeySchema=INDEX_KEYS,
    Projection=PROJECTION,
    AttributeDefinitions=ListOf(ATTRIBUTE_DEFINITIONS.element, required=True),
    **_CAPACITY,
)
_SETTINGS: Mapping[str, Member] = {
    "Billing": Structure("Document", required=True, members={"BillingMode": BILLING_MODE, **_CAPACITY}),
    "TableClass": one_of(*TABLE_CLASSES),
    "SSEType": one_of("AES256", "KMS"),
    "TimeToLive": _TIME_TO_LIVE,
    "AutoScaling": Structure("Document", members={}),
}
_DESCRIBED_CAPACITY: dict[str, Member] = {
    "ProvisionedThroughput": Structure(
        "Document",
        required=True,
        members={
            **_UNITS,
            "NumberOfDecreasesToday": _COUNT,
            "LastIncreaseDateTime": _TIME,
            "LastDecreaseDateTime": _TIME,
        },
    ),
    "WarmThroughput": Structure(
        "Document",
        required=True,
        members={
            "ReadUnitsPerSecond": _COUNT,
            "WriteUnitsPerSecond": _COUNT,
            "Status": Text(required=True),
        },
    ),
    "OnDemandThroughput": ON_DEMAND,
}
DESCRIBED = _members(
    GlobalSecondaryIndexes=ListOf(_members(**_DESCRIBED_CAPACITY)),
    BillingModeSummary=Structure(
        "Document", members={"BillingMode": BILLING_MODE, "LastUpdateToPayPerRequestDateTime": _TIME}
    ),
    **_DESCRIBED_CAPACITY,
)
"""What a table's description has beyond the members of a CreateTable request."""


def require_time_to_live(value: Any) -> None:
    """Reject anything but a TTL specification or None."""
    _require(value is None or _TIME_TO_LIVE.accepts(value), "TimeToLive")


def require_description(description: Mapping[str, Any]) -> None:
    """Reject a description without capacities that can be shown."""
    _require(DESCRIBED.accepts(description), "Description")
    summary = description.get("BillingModeSummary")
    _require(
        "BillingModeSummary" not in description or bool(summary and summary.get("BillingMode")),
        "Description.BillingModeSummary",
    )


def require_group(members: Any, settings: Any) -> None:
    """Reject members and settings of a group that a server could not have stored."""
    _require(type(members) is dict, "Replication.Members")
    for region, entry in members.items():
        _require(_is_region(region) and _is_member(entry), f"Replication.Members.{region}")
        source = entry.get("Source")
        _require(source is None or source in members, f"Replication.Members.{region}.Source")
        _require(entry["Status"] != "CREATING" or source is not None, f"Replication.Members.{region}.Source")
    _require(type(settings) is dict and "Billing" in settings, "Replication.Settings")
    for name, entry in settings.items():
        _require(_is_changed(entry) and "Value" in entry, f"Replication.Settings.{name}")
        _require_setting(name, entry["Value"])


def require_invited(definition: Mapping[str, Any], region: str) -> None:
    """Reject a group in which this region is not a new member."""
    entry = live_members(definition).get(region) or {}
    _require(entry.get("Status") == "CREATING", f"Replication.Members.{region}")


def _require_setting(name: str, value: Any) -> None:
    place = f"Replication.Settings.{name}"
    if name.startswith(INDEX):
        if value is not None:
            _require(_INDEX.accepts(value) and value["IndexName"] == name.removeprefix(INDEX), place)
            require_defined(value["KeySchema"], names_of(value["AttributeDefinitions"]))
            require_global_keys(value["KeySchema"])
        return
    kind = _SETTINGS.get(name)
    _require(kind is not None and (kind.accepts(value) if value is not None else not kind.required), place)
    _require(name != "Billing" or value.get("BillingMode") is not None, place)


def _is_region(name: Any) -> bool:
    return type(name) is str and _REGION.fullmatch(name) is not None


def _is_changed(entry: Any) -> bool:
    """Whether an entry has the time and the region of its last change."""
    changed = entry.get("Changed") if type(entry) is dict else None
    return (
        type(changed) is list
        and len(changed) == 2
        and type(changed[0]) is int
        and 0 <= changed[0] < 1 << 62
        and _is_region(changed[1])
    )


def _is_member(entry: Any) -> bool:
    return _is_changed(entry) and entry.get("Status") is not None and _MEMBER.accepts(entry)


def _require(is_valid: bool, place: str) -> None:
    if not is_valid:
        raise ValidationError(f"{place} is malformed; only the servers of other regions send it")


_REGIONAL = (
    "SSEDescription",
    "StreamSpecification",
    "LatestStreamArn",
    "LatestStreamLabel",
    "RestoreSummary",
    "TableClassSummary",
)


def invitation(table: StoredTable) -> dict[str, Any]:
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
    existing = catalog.find(name)
    if existing is not None and (existing.definition.get("Replication") or {}).get("Group") == group:
        return
    if existing is not None or catalog.announced(tx.rows, name):
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
    row_removals.remove_spaces(tx, [version_space(table)])


def remove_last(tx: Writing, name: str, group: str) -> bool:
    """Delete a replica that leaves when all other regions have lost theirs; return whether it is deleted."""
    table = replica_of(tx, name, group)
    is_busy = "Building" in table.definition or "Deleting" in table.definition
    if is_busy or live_members(table.definition)[tx.state.region]["Status"] != "DELETING":
        return False
    remove_table(tx, table)
    return True
