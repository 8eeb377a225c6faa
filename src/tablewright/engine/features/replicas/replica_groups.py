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
"""

import uuid
from collections.abc import Mapping, Set
from typing import Any

from tablewright.engine.core.requests.arns import key_arn
from tablewright.engine.core.state.catalog import Table

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


def show_replicas(shown: dict[str, Any], table: Table, region: str) -> None:
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


def _show_member(region: str, entry: Mapping[str, Any], table: Table) -> dict[str, Any]:
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
