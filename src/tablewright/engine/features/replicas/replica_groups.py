"""Replica groups: the regions that have the same table, as its definition stores them and DescribeTable shows them.

    definition["Replication"]
        Group      an ID that all replicas share, so that another table of the same name is not taken for one
        Space      the space of the versions of the items: see `engine.features.replicas.versions`
        Epoch      an ID of this replica's feed of changes
        Members    region  ->  {"Status", "Changed", "Source", "Since", and the overrides of the replica}
        Settings   the settings that all replicas share: see `shared_settings`

Members are in the order in which they joined, with this region. Each entry has the time and region of its last change
in `Changed`: when two regions merge their members, the newer entry of each region wins. A region that left stays as
DELETED until the group is dissolved.

Shared settings: the settings of a table that all its replicas have in common.

    replication["Settings"]   name  ->  {"Value", "Changed"}

The names are `Billing`, `TableClass`, `SSEType`, `AutoScaling`, those of `SHARED_SETTINGS`, and `Index/` with the name
of each global index, whose value is None once it is deleted. All other settings, such as tags and deletion protection,
belong to one region each, as on AWS. The key schema and local indexes never change.

A setting can be changed in any region. `Changed` is the time and region of its last change, and the newest value wins.
A replica can override some values for itself (see `replica_groups.OVERRIDES`); the settings have the values of replicas
without overrides.
"""

import uuid
from collections.abc import Mapping, Set
from typing import Any

from tablewright.engine.core.requests.arns import key_arn
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_definitions import SHARED_SETTINGS

CURRENT_VERSION = "2019.11.21"
OVERRIDES = (
    "KMSMasterKeyId",
    "ProvisionedThroughputOverride",
    "OnDemandThroughputOverride",
    "TableClassOverride",
    "GlobalSecondaryIndexes",
)
SOURCE_PERIOD = 24 * 3600.0
"""Seconds for which a region cannot leave after another region was copied from it."""

Entries = dict[str, dict[str, Any]]
"""Members by region, or settings by name: each with the stamp of its last change in `Changed`."""
Stamp = list[Any]
"""The time of a change in microseconds, and its region."""


def new_replication(space: int, region: str, now: float, settings: Entries) -> dict[str, Any]:
    """The replication of a table that gets its first replica."""
    stamp = next_stamp(None, now, region)
    return {
        "Group": str(uuid.uuid4()),
        "Space": space,
        "Epoch": str(uuid.uuid4()),
        "Members": {region: {"Status": "ACTIVE", "Changed": stamp, "Since": now}},
        "Settings": settings,
    }


def is_replicated(table: StoredTable) -> bool:
    """Whether a table has replicas; such a table always has an open stream."""
    return bool(table.definition.get("Replication"))


def version_space(table: StoredTable) -> int:
    """The space of the versions of the items of a table with replicas."""
    return table.definition["Replication"]["Space"]  # type: ignore[no-any-return]


def name_version_space(table: StoredTable, space: int) -> str | None:
    """The name of the space of versions, for messages."""
    if is_replicated(table) and version_space(table) == space:
        return f"versions of the items of table {table.name!r}"
    return None


def live_members(definition: Mapping[str, Any]) -> Entries:
    """The members of a table's group that have not left, in order; none when it has no replicas."""
    replication = definition.get("Replication") or {"Members": {}}
    return {region: entry for region, entry in replication["Members"].items() if entry["Status"] != "DELETED"}


def other_members(definition: Mapping[str, Any], region: str) -> Entries:
    """The live members except one region."""
    return {name: entry for name, entry in live_members(definition).items() if name != region}


def with_member(
    definition: dict[str, Any], region: str, now: float, by: str, changes: Mapping[str, Any]
) -> dict[str, Any]:
    """The definition with a changed member; `by` is the region that changes it."""
    replication = definition["Replication"]
    old = replication["Members"].get(region, {})
    stamp = next_stamp(old.get("Changed"), now, by)
    kept = {} if changes.get("Status") == "CREATING" else old
    members = {**replication["Members"], region: {**kept, **changes, "Changed": stamp}}
    if not kept:  # A region that joins again is the last member.
        members[region] = members.pop(region)
    return {**definition, "Replication": {**replication, "Members": members}}


def next_stamp(old: Stamp | None, now: float, region: str) -> Stamp:
    """The stamp of a change: newer than the change before it, even when the clock was set back."""
    return [max(_microseconds(now), old[0] + 1 if old else 0), region]


def newest(ours: Entries, theirs: Entries) -> Entries:
    """The newer one of two entries each."""
    merged = dict(ours)
    for name, entry in theirs.items():
        if name not in merged or merged[name]["Changed"] < entry["Changed"]:
            merged[name] = entry
    return merged


def acted_as_source(
    definition: Mapping[str, Any], region: str, now: float, lost: Set[str] = frozenset()
) -> bool:
    """Whether another live member, except those that lost their replicas, was copied from a region in the last day."""
    return any(
        entry.get("Source") == region and now - entry["Since"] < SOURCE_PERIOD and name not in lost
        for name, entry in live_members(definition).items()
    )


def is_changing(definition: Mapping[str, Any]) -> bool:
    """Whether a member is being created or deleted: then no other change of the table is allowed."""
    return any(entry["Status"] in ("CREATING", "DELETING") for entry in live_members(definition).values())


def show_replicas(shown: dict[str, Any], table: StoredTable, region: str) -> None:
    """Add to a table's description what it shows about its replicas."""
    members = live_members(table.definition)
    if not members:
        return
    shown["GlobalTableVersion"] = CURRENT_VERSION
    shown["GlobalTableSettingsReplicationMode"] = "ENABLED_WITH_OVERRIDES"
    shown["Replicas"] = [
        _show_member(name, entry, table) for name, entry in members.items() if name != region
    ]
    own = members.get(region, {}).get("Status")
    if own in ("CREATING", "DELETING"):
        shown["TableStatus"] = own
    elif any(entry["Status"] == "CREATING" for entry in members.values()):
        shown["TableStatus"] = "UPDATING"


def _show_member(region: str, entry: Mapping[str, Any], table: StoredTable) -> dict[str, Any]:
    description = table.description
    shown: dict[str, Any] = {
        "RegionName": region,
        "ReplicaStatus": entry["Status"],
        "WarmThroughput": description["WarmThroughput"],
        "GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES",
    }
    if "SSEDescription" in description:
        shown["KMSMasterKeyId"] = regional_key(entry.get("KMSMasterKeyId"), region)
    for name in ("ProvisionedThroughputOverride", "OnDemandThroughputOverride"):
        if entry.get(name):
            shown[name] = entry[name]
    if entry.get("TableClassOverride"):
        shown["ReplicaTableClassSummary"] = {"TableClass": entry["TableClassOverride"]}
    elif "TableClassSummary" in description:
        shown["ReplicaTableClassSummary"] = description["TableClassSummary"]
    if description.get("GlobalSecondaryIndexes"):
        overrides = entry.get("GlobalSecondaryIndexes") or {}
        shown["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index["IndexName"],
                "WarmThroughput": index["WarmThroughput"],
                **overrides.get(index["IndexName"], {}),
            }
            for index in description["GlobalSecondaryIndexes"]
        ]
    return shown


def regional_key(key: str | None, region: str) -> str:
    """The ARN of a replica's encryption key; without one, of the key that AWS manages in its region."""
    name = key or str(uuid.uuid5(uuid.NAMESPACE_URL, "alias/aws/dynamodb"))
    return name if name.startswith("arn:") else key_arn(region, name)


def _microseconds(now: float) -> int:
    return int(now * 1_000_000)


INDEX = "Index/"
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")

Settings = dict[str, dict[str, Any]]


def settings_in_effect(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the shared settings as they are in this region."""
    description = definition["Description"]
    types = {entry["AttributeName"]: entry for entry in description["AttributeDefinitions"]}
    values: dict[str, Any] = {
        "Billing": {
            "BillingMode": description.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
            **_capacity(description),
        },
        "TableClass": description.get("TableClassSummary", {}).get("TableClass"),
        "SSEType": description.get("SSEDescription", {}).get("SSEType"),
        **{setting.name: definition.get(setting.name) for setting in SHARED_SETTINGS},
    }
    for index in description.get("GlobalSecondaryIndexes", ()):
        values[INDEX + index["IndexName"]] = {
            **{name: index[name] for name in ("IndexName", "KeySchema", "Projection")},
            **_capacity(index),
            "AttributeDefinitions": [types[key["AttributeName"]] for key in index["KeySchema"]],
        }
    return values


def _capacity(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "ProvisionedThroughput": {name: entry["ProvisionedThroughput"][name] for name in _UNITS},
        "OnDemandThroughput": entry.get("OnDemandThroughput"),
    }


def first_settings(definition: Mapping[str, Any], now: float, region: str) -> Settings:
    """The shared settings of a table that gets its first replica."""
    stamp = next_stamp(None, now, region)
    return {
        name: {"Value": value, "Changed": stamp} for name, value in settings_in_effect(definition).items()
    }


def note_change(before: Mapping[str, Any], after: dict[str, Any], now: float, region: str) -> dict[str, Any]:
    """The definition `after` a change in this region, with the shared settings that it changed."""
    if not after.get("Replication") or not before.get("Replication"):
        return after
    old, new = settings_in_effect(before), settings_in_effect(after)
    changes = {name: new.get(name) for name in old.keys() | new.keys() if new.get(name) != old.get(name)}
    return with_settings(after, changes, now, region) if changes else after


def with_settings(
    definition: dict[str, Any], changes: Mapping[str, Any], now: float, region: str
) -> dict[str, Any]:
    """The definition with new values of shared settings."""
    replication = definition["Replication"]
    settings = dict(replication["Settings"])
    for name, value in changes.items():
        stamp = next_stamp(settings.get(name, {}).get("Changed"), now, region)
        settings[name] = {"Value": value, "Changed": stamp}
    return {**definition, "Replication": {**replication, "Settings": settings}}


def shared_value(definition: Mapping[str, Any], name: str) -> Any:
    """The value of a shared setting; None when it has none."""
    return definition["Replication"]["Settings"].get(name, {}).get("Value")


def shared_indexes(definition: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The shared global indexes by name."""
    return {
        name.removeprefix(INDEX): entry["Value"]
        for name, entry in definition["Replication"]["Settings"].items()
        if name.startswith(INDEX) and entry["Value"] is not None
    }
