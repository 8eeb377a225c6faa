"""Insight settings: for which tables and indexes contributor insights are enabled, and their rules.

    definition["Insights"]   "" (the table) or an index's name  ->  {"Enabled", "Mode", "Since", "Updated", "Space"}

A setting is valid for the space it was made for: a new index has none, even if a deleted one had the same name.
AWS keeps the data of a rule in CloudWatch; here it is in memory (see `access_counts`).

Contributors: the most accessed and throttled keys of a table or index, as attribute values.
"""

from collections.abc import Callable, Iterable
from typing import Any

from tablewright.dynamodb.values.key_bytes import after
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.features.insights.access_counts import AccessCounts, SpaceCounts, TopKeys
from tablewright.errors import ResourceNotFound, ValidationError

ALL_KEYS = "ACCESSED_AND_THROTTLED_KEYS"
THROTTLED_KEYS = "THROTTLED_KEYS"

Setting = dict[str, Any]


def insights_table(tx: Reading, name: str, index: str | None) -> StoredTable:
    """The table of a request, whose index must exist."""
    table = tx.described(name)
    secondary = table.index(index) if index is not None else None
    if index is not None and (secondary is None or secondary.kind == "local"):
        raise ResourceNotFound(f"Requested resource not found: Index: {index} not found")
    return table


def setting_of(table: StoredTable, index: str | None) -> Setting:
    """The setting of a table or index; empty when it never had one."""
    return _settings(table).get(index or "") or {}


def enabled_settings(table: StoredTable) -> dict[str, Setting]:
    """The enabled settings of a table, by the name of the index, or "" for the table itself."""
    return {name: setting for name, setting in _settings(table).items() if setting["Enabled"]}


def _settings(table: StoredTable) -> dict[str, Setting]:
    settings, spaces = table.definition.get("Insights") or {}, table.definition["Spaces"]
    return {name: setting for name, setting in settings.items() if spaces.get(name) == setting["Space"]}


def change(tx: Writing, table: StoredTable, index: str | None, *, enabled: bool, mode: str) -> str:
    """Enable or disable insights, and return the status to show: that of the change, or the current one."""
    old = setting_of(table, index)
    if not enabled:
        if not old.get("Enabled"):
            return "DISABLED"
        _save(tx, table, index, {**old, "Enabled": False, "Updated": tx.now()})
        return "DISABLING"
    if old.get("Enabled") and old["Mode"] == mode:
        return "ENABLED"
    # A change of the mode keeps the rules that both modes have.
    since = old["Since"] if old.get("Enabled") else int(tx.now() * 1000)
    _save(tx, table, index, {"Enabled": True, "Mode": mode, "Since": since, "Updated": tx.now()})
    return "ENABLING"


def rules(table: StoredTable, index: str | None, setting: Setting) -> list[str]:
    """The names of the rules: partition keys and, with a sort key, whole keys; accessed (C) and throttled (T)."""
    secondary = table.index(index) if index is not None else None
    has_sort_key = bool((secondary.keys if secondary else table.keys).range)
    name = f"{table.name}-{index}" if index is not None else table.name
    kinds = [f"{part}{what}" for what in "CT" for part in (("PK", "SK") if has_sort_key else ("PK",))]
    return [
        f"DynamoDBContributorInsights-{kind}-{name}-{setting['Since']}"
        for kind in kinds
        if setting["Mode"] == ALL_KEYS or kind.endswith("T")
    ]


def _save(tx: Writing, table: StoredTable, index: str | None, setting: Setting) -> None:
    space = table.definition["Spaces"][index or ""]
    settings = {**_settings(table), index or "": {**setting, "Space": space}}
    tx.state.catalog.save(tx.rows, {**table.definition, "Insights": settings})
    watch_accesses(tx.state)


def watch_accesses(state: EngineState) -> None:
    """Count accesses for the tables and indexes that have contributor insights enabled, and for no others."""
    watched = {
        setting["Space"]: setting["Mode"] != THROTTLED_KEYS
        for table in state.catalog.having("Insights")
        for setting in table.definition["Insights"].values()
        if setting["Enabled"]
    }
    counts = counts_of(state)
    if watched and counts is None:
        counts = AccessCounts()
    if counts is not None:
        counts.watch(watched)
    state.accesses = counts if watched else None


def counts_of(state: EngineState) -> AccessCounts | None:
    """The counts of a database; None while nothing is counted."""
    return state.accesses if isinstance(state.accesses, AccessCounts) else None


Contributor = dict[str, Any]
Contributors = dict[str, list[Contributor]]


def contributors(tx: Reading, name: str, index_name: str | None = None) -> Contributors:
    """The keys with their counts, the most frequent first; keys whose items are gone are left out."""
    table = insights_table(tx, name, index_name)
    space: StoredTable | StoredIndex = table
    if index_name is not None:
        secondary = table.index(index_name)
        assert secondary is not None
        space = secondary
    all_counts = counts_of(tx.state)
    counts = all_counts.of(space.space) if all_counts else None
    if counts is None:
        raise ValidationError(
            f"contributor insights of {index_name or table.name} are not enabled; "
            "enable them with UpdateContributorInsights"
        )
    return _shown(tx, space, counts)


def _shown(tx: Reading, space: StoredTable | StoredIndex, counts: SpaceCounts) -> Contributors:
    def in_partition(prefix: bytes) -> StoredItem | None:
        rows = tx.rows.range(space.space, prefix, after(prefix))
        return next((row for _, row in rows), None)

    def at_key(key: bytes) -> StoredItem | None:
        return tx.rows.get(space.space, key)

    hash_names = space.keys.hash
    return {
        "accessed_partitions": _named(counts.accessed_partitions, hash_names, in_partition),
        "accessed_keys": _named(counts.accessed_keys, space.keys.names, at_key),
        "throttled_partitions": _named(counts.throttled_partitions, hash_names, in_partition),
    }


def _named(
    top: TopKeys, names: Iterable[str], find: Callable[[bytes], StoredItem | None]
) -> list[Contributor]:
    rows = ((find(key), count) for key, count in top.most_frequent())
    return [
        {"key": {name: row.attributes[name] for name in names}, "count": count}
        for row, count in rows
        if row is not None
    ]
