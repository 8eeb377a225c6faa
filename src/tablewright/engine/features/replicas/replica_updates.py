"""Replica updates: the replicas that UpdateTable creates, changes or deletes, one in each request.

The change is written to the table's group; the other region is created or deleted afterwards, by replication.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.arns import AWS_REGIONS
from tablewright.engine.core.requests.shapes import ListOf, Number, Text, one_of, required, structure
from tablewright.engine.core.requests.unsupported import UNSUPPORTED
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.core.tables.table_definitions import require_allowed
from tablewright.engine.core.tables.table_descriptions import show_deleted
from tablewright.engine.core.tables.table_rules import INVALID, Entry
from tablewright.engine.core.tables.table_settings import TABLE_CLASSES
from tablewright.engine.core.tables.table_shapes import INDEX_NAME
from tablewright.engine.core.tables.table_updates import TableUpdate
from tablewright.engine.features.replicas.replica_groups import (
    OVERRIDES,
    acted_as_source,
    first_settings,
    is_changing,
    live_members,
    new_replication,
    other_members,
    regional_key,
    shared_indexes,
    shared_value,
    show_replicas,
    version_space,
    with_member,
)
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.features.streams.stream_records import open_stream_of
from tablewright.engine.features.streams.stream_settings import open_stream
from tablewright.errors import ResourceInUse, ResourceNotFound, ServiceError, Unreachable, ValidationError

_LONG = Number(java="Long")
_UNITS = structure("ProvisionedThroughputOverride", ReadCapacityUnits=Number(least=1, java="Long"))
_MAXIMUM = structure("OnDemandThroughputOverride", MaxReadRequestUnits=_LONG)
_REGION = required(Text())
_MEMBERS: dict[str, Any] = {
    "RegionName": _REGION,
    "KMSMasterKeyId": Text(),
    "ProvisionedThroughputOverride": _UNITS,
    "OnDemandThroughputOverride": _MAXIMUM,
    "GlobalSecondaryIndexes": ListOf(
        structure(
            "ReplicaGlobalSecondaryIndex",
            IndexName=INDEX_NAME,
            ProvisionedThroughputOverride=_UNITS,
            OnDemandThroughputOverride=_MAXIMUM,
        ),
        shortest=1,
    ),
    "TableClassOverride": one_of(*TABLE_CLASSES),
}
REPLICA_UPDATES = ListOf(
    structure(
        "ReplicationGroupUpdate",
        Create=structure("CreateReplicationGroupMemberAction", **_MEMBERS),
        Update=structure("UpdateReplicationGroupMemberAction", **_MEMBERS),
        Delete=structure("DeleteReplicationGroupMemberAction", RegionName=_REGION),
        Disassociate=UNSUPPORTED,
    ),
    shortest=1,
)

_ACTIONS = ("Create", "Update", "Delete")
_NO_ACTION = "There are no actions specified in the Replica Update Action of the request."
_SOURCE = (
    "Replica cannot be deleted because it has acted as a source region for new replica(s) being added to the table in "
    "the last 24 hours."
)
IN_USE = "The resource which you are attempting to change is in use."


def require_replica_actions(request: Entry) -> None:
    """Reject replica updates that do not contain one action, and modes that are not implemented."""
    if request.get("MultiRegionConsistency") == "STRONG":
        raise ValidationError(
            "MultiRegionConsistency STRONG is not implemented by Tablewright; use EVENTUAL or remove it"
        )
    updates = request.get("ReplicaUpdates") or ()
    requested: list[tuple[str, Entry]] = []
    for entry in updates:
        actions = [(name, entry[name]) for name in _ACTIONS if entry.get(name) is not None]
        if not actions:
            raise ValidationError(_NO_ACTION)
        requested += [action for action in actions if action not in requested]
    if len({name for name, _ in requested}) > 1:
        raise ValidationError(
            "Update table operation with more than one type of replica actions not allowed."
        )
    if len(requested) > 1 and requested[0][0] != "Update":
        raise ValidationError(
            "Update table operation with more than one create or delete replica actions not allowed"
        )
    for name, action in requested:
        if name == "Update" and not _overrides(action):
            raise ValidationError(_NO_ACTION)


def _overrides(action: Entry) -> dict[str, Any]:
    """The overrides that an action requests; those of indexes by the names of the indexes."""
    overrides = {name: action[name] for name in OVERRIDES if action.get(name)}
    if "GlobalSecondaryIndexes" in overrides:
        overrides["GlobalSecondaryIndexes"] = {
            index["IndexName"]: {
                name: index[name]
                for name in ("ProvisionedThroughputOverride", "OnDemandThroughputOverride")
                if index.get(name)
            }
            for index in overrides["GlobalSecondaryIndexes"]
        }
        if not any(overrides["GlobalSecondaryIndexes"].values()):
            del overrides["GlobalSecondaryIndexes"]
    return overrides


def change_replicas(update: TableUpdate) -> None:
    """ReplicaUpdates; every other change is rejected while a replica is being created or deleted."""
    updates = update.request.get("ReplicaUpdates") or ()
    if any(entry.get("Create") for entry in updates):
        require_allowed(update.tx, update.table, "replica")
    for region in {_region(entry) for entry in updates}:
        _require_other_region(update, region)
    for entry in updates:
        if entry.get("Create"):
            _require_creatable(update, entry["Create"])
        else:
            _require_member(update, _region(entry))
    if is_changing(update.definition):
        raise ResourceInUse(IN_USE)
    # Only updates can be several; a repeated Create or Delete is the same action.
    for entry in updates if updates and updates[0].get("Update") else updates[:1]:
        if entry.get("Create"):
            _create(update, entry["Create"])
        elif entry.get("Update"):
            _update(update, entry["Update"])
        else:
            _delete(update, entry["Delete"]["RegionName"])
    if updates:
        update.shown["TableStatus"] = "UPDATING"
        links_of(update.tx.state).wake_replication()


def _region(entry: Entry) -> str:
    action = next(entry[name] for name in _ACTIONS if entry.get(name) is not None)
    return str(action["RegionName"])


def _require_other_region(update: TableUpdate, region: str) -> None:
    if region == update.tx.state.region:
        raise ValidationError(
            "Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or "
            "UpdateTable as required."
        )
    if region not in AWS_REGIONS:
        raise ValidationError(
            f"Region {region} is not supported. The latest version of global tables are only supported in the "
            f"following regions: [{', '.join(sorted(AWS_REGIONS))}]"
        )


def _require_creatable(update: TableUpdate, requested: Entry) -> None:
    region = requested["RegionName"]
    if links_of(update.tx.state).peer(region) is None:
        raise ValidationError(
            f"This database has no other regions, so {update.table.name} cannot have a replica in {region}; start it "
            "with `tablewright serve`, or open it with `embedded()`"
        )
    if not links_of(update.tx.state).serves_region(region):
        raise ValidationError(
            f"This server requires signatures and serves {update.tx.state.region} only, so no client could use a "
            f"replica of {update.table.name} in {region}; start a server with --region {region}, and this one with "
            f"--replica {region}=URL"
        )
    if region in live_members(update.definition) or _answer(update, region).table is not None:
        raise ValidationError(
            f"Failed to create a the new replica of table with name: {quoted(update.table.name)} because one or more "
            "replicas already existed as tables."
        )


def quoted(name: str) -> str:
    """A name in typographic quotes, as in AWS's messages about global tables."""
    return f"\u2018{name}\u2019"


def _require_member(update: TableUpdate, region: str) -> None:
    if region not in live_members(update.definition):
        raise ValidationError(
            "Update global table operation failed because one or more replicas were not part of the global table. "
            f"Please retry the request without these replicas: [{region}]."
        )


class PeerAnswer(NamedTuple):
    """The table of the same name in another region, or None; `is_known` is False if the region cannot be reached."""

    table: Mapping[str, Any] | None
    is_known: bool


def ask_peers(state: EngineState, request: Entry) -> dict[str, PeerAnswer]:
    """Ask the regions whose replicas a request creates or deletes for their tables, before its transaction."""
    actions = [entry.get("Create") or entry.get("Delete") for entry in request.get("ReplicaUpdates") or ()]
    regions = {action["RegionName"] for action in actions if action} & AWS_REGIONS - {state.region}
    table = state.catalog.find(request["TableName"])
    return {} if table is None else {region: _ask(state, region, table.name) for region in regions}


def _ask(state: EngineState, region: str, table: str) -> PeerAnswer:
    peer = links_of(state).peer(region)
    if peer is None:
        return PeerAnswer(None, is_known=True)  # a region that is not configured any more
    try:
        return PeerAnswer(peer.call("DescribeTable", {"TableName": table})["Table"], is_known=True)
    except ResourceNotFound:
        return PeerAnswer(None, is_known=True)
    except (ServiceError, Unreachable):
        return PeerAnswer(None, is_known=False)


def _answer(update: TableUpdate, region: str) -> PeerAnswer:
    answers = update.answers.get("replicas") or {}
    return answers.get(region) or PeerAnswer(None, is_known=False)


def _create(update: TableUpdate, requested: Entry) -> None:
    tx, region, now = update.tx, update.tx.state.region, update.now
    definition = update.definition
    _require_key(update, requested)
    if "Replication" not in definition:
        definition["Replication"] = new_replication(
            tx.new_space(), region, now, first_settings(definition, now, region)
        )
    if open_stream_of(update.table.definition) is None:
        open_stream(definition, tx.state.catalog.next_number(tx.rows), "NEW_AND_OLD_IMAGES", now)
    entry = {"Status": "CREATING", "Source": region, "Since": now, **_overrides(requested)}
    _set_member(update, requested["RegionName"], entry)
    # As on AWS, the reply does not show the new replica yet.
    update.shown["Replicas"] = _shown_before(update)


def _require_key(update: TableUpdate, requested: Entry) -> None:
    """Reject a replica without its own key when the table has a customer managed key, and the reverse."""
    region = update.tx.state.region
    key = update.description.get("SSEDescription", {}).get("KMSMasterKeyArn")
    is_customer_managed = key is not None and key != regional_key(None, region)
    if is_customer_managed != bool(requested.get("KMSMasterKeyId")):
        raise ValidationError(f"{INVALID}KMSMasterKeyId must be specified for each replica.")


def _update(update: TableUpdate, requested: Entry) -> None:
    overrides = _overrides(requested)
    if "KMSMasterKeyId" in overrides:
        raise ValidationError(f"{INVALID}KMSMasterKeyId must be specified for each replica.")
    _require_billing(update, overrides)
    region = requested["RegionName"]
    entry = live_members(update.definition)[region]
    indexes = overrides.pop("GlobalSecondaryIndexes", None)
    if indexes is not None:
        current = entry.get("GlobalSecondaryIndexes") or {}
        overrides["GlobalSecondaryIndexes"] = {
            **current,
            **{name: {**current.get(name, {}), **override} for name, override in indexes.items()},
        }
    _set_member(update, region, _without_equal(update, overrides))
    update.shown["Replicas"] = _shown_before(update)


def _require_billing(update: TableUpdate, requested: Mapping[str, Any]) -> None:
    overrides = [requested, *requested.get("GlobalSecondaryIndexes", {}).values()]
    if update.was_on_demand and any(override.get("ProvisionedThroughputOverride") for override in overrides):
        raise ValidationError(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
        )
    if not update.was_on_demand and any(override.get("OnDemandThroughputOverride") for override in overrides):
        raise ValidationError(
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED"
        )


def _without_equal(update: TableUpdate, overrides: dict[str, Any]) -> dict[str, Any]:
    """The overrides, without those that equal the value of the table: these are removed, as on AWS."""
    kept = {**overrides, **_equal(overrides, shared_value(update.definition, "Billing"))}
    if "GlobalSecondaryIndexes" in overrides:
        indexes = shared_indexes(update.definition)
        kept["GlobalSecondaryIndexes"] = {
            name: {
                key: value
                for key, value in {**override, **_equal(override, indexes.get(name, {}))}.items()
                if value is not None
            }
            for name, override in overrides["GlobalSecondaryIndexes"].items()
        }
    return kept


def _equal(overrides: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    members = (
        ("ProvisionedThroughputOverride", "ProvisionedThroughput", "ReadCapacityUnits"),
        ("OnDemandThroughputOverride", "OnDemandThroughput", "MaxReadRequestUnits"),
    )
    return {
        override: None
        for override, member, name in members
        if overrides.get(override) and overrides[override].get(name) == (base.get(member) or {}).get(name)
    }


def _delete(update: TableUpdate, region: str) -> None:
    described, is_lost = _find_replica(update, region)
    if acted_as_source(update.definition, region, update.now) and not is_lost:
        raise ValidationError(_SOURCE)
    if described is not None and described["DeletionProtectionEnabled"]:
        raise ValidationError(protected(update.table.name, region))
    update.shown["Replicas"] = _shown_before(update)
    _set_member(update, region, {"Status": "DELETING"})


def _find_replica(update: TableUpdate, region: str) -> tuple[Mapping[str, Any] | None, bool]:
    """The replica of a region, or None; and whether the region says that it has none.

    A region that cannot be reached may still have its replica. A region that lost its data does not have it, even if
    it has a new table of the same name. Neither does a region that is not configured any more.
    """
    answer, own = _answer(update, region), update.tx.state.region
    if not answer.is_known:
        return None, False
    if answer.table and own in {replica["RegionName"] for replica in answer.table.get("Replicas", ())}:
        return answer.table, False
    return None, True


def require_deletable(
    definition: Mapping[str, Any], name: str, region: str, now: float, lost: Set[str] = frozenset()
) -> None:
    """Reject to delete a replica in its own region while the group needs it, with AWS's messages.

    `lost` are the regions that say that they do not have their replicas any more.
    """
    status = live_members(definition)[region]["Status"]
    if status == "CREATING":
        raise ResourceInUse(
            f"Attempt to change a resource which is still in use: Table: {name} is being used."
        )
    if status == "DELETING":
        raise ResourceInUse(IN_USE)
    if definition["Description"]["DeletionProtectionEnabled"]:
        raise ValidationError(protected(name, region))
    if acted_as_source(definition, region, now, lost):
        raise ValidationError(_SOURCE)


def protected(name: str, region: str) -> str:
    """The message for the deletion of a protected replica."""
    return (
        f"Cannot delete table {name} in region {region} because it has deletion protection enabled. Disable deletion "
        "protection first."
    )


def _set_member(update: TableUpdate, region: str, changes: Mapping[str, Any]) -> None:
    own = update.tx.state.region
    changed = with_member(update.definition, region, update.tx.now(), own, changes)
    update.definition["Replication"] = changed["Replication"]


def _shown_before(update: TableUpdate) -> Sequence[Mapping[str, Any]]:
    shown: dict[str, Any] = {}
    show_replicas(shown, update.table, update.tx.state.region)
    return shown.get("Replicas", [])  # type: ignore[no-any-return]


def leave_group(tx: Writing, table: StoredTable) -> Reply | None:
    """Delete a replica: it leaves its group first, when another region has read all its changes; None for others."""
    own = tx.state.region
    others = other_members(table.definition, own)
    if not others:
        return None
    lost = {name for name in others if links_of(tx.state).progress.is_missing(version_space(table), name)}
    # A new replica is not there before it is created.
    lost = {name for name in lost if others[name]["Status"] != "CREATING"}
    require_deletable(table.definition, table.name, own, tx.now(), lost)
    shown = {**show_deleted(tx, table), "TableStatus": "DELETING"}
    definition = with_member(table.definition, own, tx.now(), own, {"Status": "DELETING"})
    tx.state.catalog.save(tx.rows, definition)
    links_of(tx.state).wake_replication()
    return {"TableDescription": shown}
