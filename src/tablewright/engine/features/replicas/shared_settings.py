"""Shared settings: the settings of a table that all its replicas have in common.

    replication["Settings"]   name  ->  {"Value", "Changed"}

The names are `Billing`, `TableClass`, `SSEType`, `AutoScaling`, those of `SHARED_SETTINGS`, and `Index/` with the name
of each global index, whose value is None once it is deleted. All other settings, such as tags and deletion protection,
belong to one region each, as on AWS. The key schema and local indexes never change.

A setting can be changed in any region. `Changed` is the time and region of its last change, and the newest value wins.
A replica can override some values for itself (see `replica_groups.OVERRIDES`); the settings have the values of replicas
without overrides.
"""

from collections.abc import Mapping
from typing import Any

from tablewright.engine.core.tables.table_definitions import SHARED_SETTINGS
from tablewright.engine.features.replicas.replica_groups import next_stamp

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
