"""Settings sync: the shared settings of another region, applied to the replica in this region.

Indexes are created and deleted one at a time, as UpdateTable does. Replication applies the settings again until the
replica has all shared indexes: see `is_settled`.
"""

from collections.abc import Mapping
from typing import Any

from tablewright.engine.core.jobs import index_builds, row_removals
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.index_updates import key_names, perform_indexes
from tablewright.engine.core.tables.table_definitions import SHARED_SETTINGS
from tablewright.engine.core.tables.table_descriptions import describe_global_index, on_demand_since
from tablewright.engine.core.tables.table_settings import describe_encryption
from tablewright.engine.core.tables.table_updates import TableUpdate
from tablewright.engine.core.tables.throughput import (
    ON_DEMAND_WARM_THROUGHPUT,
    changed_units,
    raised_warm_throughput,
    throughput,
    warm_throughput_for,
)
from tablewright.engine.features.replicas.replica_groups import live_members, shared_indexes, shared_value

Settings = Mapping[str, Any]


def is_settled(table: StoredTable) -> bool:
    """Whether the replica has exactly the shared indexes, or an index is being built or deleted."""
    if "Building" in table.definition or "Deleting" in table.definition:
        return True
    present = {index["IndexName"] for index in table.description.get("GlobalSecondaryIndexes", ())}
    return present == shared_indexes(table.definition).keys()


def apply_settings(tx: Writing, table: StoredTable) -> StoredTable:
    """Change the replica of this region to the shared settings and its own overrides."""
    update = TableUpdate(tx, table, {})
    own = live_members(table.definition)[tx.state.region]
    _set_billing(update, shared_value(table.definition, "Billing"), own)
    _set_class(update, own.get("TableClassOverride") or shared_value(table.definition, "TableClass"))
    _set_encryption(update, shared_value(table.definition, "SSEType"), own)
    _set_indexes(update, own)
    removed = perform_indexes(update)
    for setting in SHARED_SETTINGS:
        value = shared_value(table.definition, setting.name)
        if value != table.definition.get(setting.name):
            setting.apply(tx, table, update.definition, value)
    saved = tx.state.catalog.save(tx.rows, update.definition)
    for setting in SHARED_SETTINGS:
        setting.saved(tx, table, saved)
    if removed is not None:
        row_removals.remove_index(tx, saved.name, removed)
    elif table.definition.get("Building") is None:
        index_builds.begin(tx, saved)
    return tx.state.catalog.find(saved.name) or saved


def _set_billing(update: TableUpdate, shared: Settings, own: Settings) -> None:
    description, now = update.description, update.now
    if shared["BillingMode"] == "PAY_PER_REQUEST":
        if not update.was_on_demand:
            description["BillingModeSummary"] = on_demand_since(now)
            description["ProvisionedThroughput"] = throughput(None)
            description["WarmThroughput"] = raised_warm_throughput(
                ON_DEMAND_WARM_THROUGHPUT, description["WarmThroughput"]
            )
    elif update.was_on_demand:
        description["BillingModeSummary"] |= {"BillingMode": "PROVISIONED"}
    _set_capacity(description, shared, own, now)


def _set_capacity(entry: dict[str, Any], shared: Settings, override: Settings, now: float) -> None:
    """The units and maxima of a table or an index, with the overrides of this replica."""
    units = {**shared["ProvisionedThroughput"], **(override.get("ProvisionedThroughputOverride") or {})}
    if any(entry["ProvisionedThroughput"][name] != value for name, value in units.items()):
        entry["ProvisionedThroughput"] = changed_units(entry["ProvisionedThroughput"], units, now)
        entry["WarmThroughput"] = raised_warm_throughput(warm_throughput_for(units), entry["WarmThroughput"])
    maxima = {
        **(shared.get("OnDemandThroughput") or {}),
        **(override.get("OnDemandThroughputOverride") or {}),
    }
    entry.pop("OnDemandThroughput", None)
    if maxima:
        entry["OnDemandThroughput"] = maxima


def _set_class(update: TableUpdate, name: str | None) -> None:
    current = update.description.get("TableClassSummary", {}).get("TableClass")
    if name is not None and name != current:
        update.description["TableClassSummary"] = {"TableClass": name, "LastUpdateDateTime": update.now}


def _set_encryption(update: TableUpdate, kind: str | None, own: Settings) -> None:
    if kind is None:
        update.description.pop("SSEDescription", None)
    elif "SSEDescription" not in update.description:
        requested = {"Enabled": True, "KMSMasterKeyId": own.get("KMSMasterKeyId")}
        update.description["SSEDescription"] = describe_encryption(requested, update.tx.state.region)


def _set_indexes(update: TableUpdate, own: Settings) -> None:
    """Change the capacity of global indexes, and create or delete one of them, unless another one is changing."""
    overrides = own.get("GlobalSecondaryIndexes") or {}
    shared = shared_indexes(update.definition)
    for index in update.indexes:
        name = index["IndexName"]
        if name in shared:
            _set_capacity(index, shared[name], overrides.get(name, {}), update.now)
    if is_settled(update.table):
        return
    present = {index["IndexName"] for index in update.indexes}
    gone = sorted(present - shared.keys())
    if gone:
        update.description["GlobalSecondaryIndexes"] = [
            index for index in update.indexes if index["IndexName"] != gone[0]
        ]
        if not update.indexes:
            del update.description["GlobalSecondaryIndexes"]
        _define_attributes(update, [])
    else:
        new = shared[min(shared.keys() - present)]
        _add_index(update, new, overrides.get(new["IndexName"], {}))
        _define_attributes(update, new["AttributeDefinitions"])


def _add_index(update: TableUpdate, index: Settings, override: Settings) -> None:
    on_demand = shared_value(update.definition, "Billing")["BillingMode"] == "PAY_PER_REQUEST"
    requested = {**index, "ProvisionedThroughput": None if on_demand else index["ProvisionedThroughput"]}
    entry = describe_global_index(requested, update.description["TableArn"], on_demand=on_demand)
    if not on_demand:
        _set_capacity(entry, index, override, update.now)
    update.description["GlobalSecondaryIndexes"] = [*update.indexes, entry]


def _define_attributes(update: TableUpdate, added: list[dict[str, str]]) -> None:
    """The definitions of all attributes that are part of a key now."""
    known = {entry["AttributeName"]: entry for entry in (*added, *update.description["AttributeDefinitions"])}
    used = set(key_names(update.description))
    update.description["AttributeDefinitions"] = [known[name] for name in sorted(used)]
