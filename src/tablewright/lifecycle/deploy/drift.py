"""Drift: a table as declared beside the table as found, setting by setting.

A setting is `same` or `different`; `not stated` if the design does not give it, so that a deployment leaves it as it
is; `unknown` if the endpoint does not tell it; `missing` if the store has no such table or index, and `not declared` if
the design has no such index. The settings that are different are those that a deployment would change.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from tablewright.lifecycle.deploy.deployment_steps import DeploymentStep
from tablewright.lifecycle.deploy.setting_changes import changed_settings, index_changes, shown_billing
from tablewright.lifecycle.deploy.table_state import (
    UNKNOWN,
    IndexState,
    KeyPart,
    TableState,
    VectorIndexState,
    is_same_schema,
)

State = Literal["same", "different", "not stated", "unknown", "missing", "not declared"]

ABSENT = "-"
"""Shown for what is not there."""


@dataclass(frozen=True, slots=True)
class SettingComparison:
    """One setting of a table or of an index, as text on both sides."""

    setting: str
    declared: str
    found: str
    state: State
    step: str | None = None
    """What a deployment would do about it."""


def compare_settings(
    desired: TableState, current: TableState | None, steps: tuple[DeploymentStep, ...] = ()
) -> list[SettingComparison]:
    """Compare all settings; `steps` are those of a deployment of the table."""
    if current is None:
        step = steps[0].description if steps else None
        return [SettingComparison("table", desired.name, ABSENT, "missing", step)]
    key = SettingComparison(
        "key",
        _shown_key(desired.key),
        _shown_key(current.key),
        "same" if is_same_schema(desired.key, current.key) else "different",
    )
    return [
        key,
        *_indexes(desired, current),
        *_vector_indexes(desired, current),
        *_settings(desired, current),
    ]


def _indexes(desired: TableState, current: TableState) -> Iterator[SettingComparison]:
    for index in desired.indexes:
        stored, name = current.index(index.name), f"index {index.name}"
        if stored is None:
            yield SettingComparison(name, _shown_index(index), ABSENT, "missing", f"add index {index.name}")
            continue
        changes = list(index_changes(replace(desired, indexes=(index,)), current))
        step = "; ".join(change.description for change in changes) or None
        same = stored.is_like(index) and not changes
        if not same and step is None:
            step = f"replace index {index.name}"
        shown = _shown_index(index), _shown_index(stored)
        yield SettingComparison(name, *shown, "same" if same else "different", step)
    for index in current.indexes:
        if desired.index(index.name) is None:
            step = f"drop index {index.name}"
            yield SettingComparison(f"index {index.name}", ABSENT, _shown_index(index), "not declared", step)


def _vector_indexes(desired: TableState, current: TableState) -> Iterator[SettingComparison]:
    names = dict.fromkeys(index.name for index in (*desired.vector_indexes, *current.vector_indexes))
    for name in names:
        declared, existing = desired.vector_index(name), current.vector_index(name)
        state: State = "same"
        step = None
        if existing is None:
            state, step = "missing", f"add vector index {name}"
        elif declared is None:
            state, step = "not declared", f"drop vector index {name}"
        elif not declared.is_like(existing):
            state, step = "different", f"replace vector index {name}"
        shown = _shown_vector_index(declared), _shown_vector_index(existing)
        yield SettingComparison(f"vector index {name}", *shown, state, step)


def _shown_vector_index(index: VectorIndexState | None) -> str:
    if index is None:
        return ABSENT
    kinds = {"HASH": "partition", "INLINE_FILTER": "filter"}
    searched = "".join(
        f"; {kinds.get(kind, kind)} {name} ({letter})" for name, kind, letter in index.searched
    )
    projection, *names = index.projection
    projected = f"{projection} {', '.join(names)}" if names else projection
    return f"{index.attribute}, {index.dimensions} dimensions, {index.distance}{searched}; {projected}"


def _settings(desired: TableState, current: TableState) -> Iterator[SettingComparison]:
    changes = changed_settings(desired, current)
    declared, stored = _texts(desired), _texts(current)
    for setting, text in declared.items():
        state: State = "same"
        if setting in current.unread:
            state = "unknown"
        elif setting not in desired.stated:
            state = "not stated"
        elif setting in changes or (setting == "replicas" and desired.replicas != current.replicas):
            state = "different"
        step = changes[setting].description if setting in changes else None
        if state == "not stated" and (stored[setting] == ABSENT or setting in _ASKED_IF_STATED):
            continue
        shown = ABSENT if state == "unknown" else stored[setting]
        yield SettingComparison(setting, text if setting in desired.stated else ABSENT, shown, state, step)


_ASKED_IF_STATED = frozenset({"point_in_time_recovery", "contributor_insights", "tags", "resource_policy"})
"""Settings that the store is asked for only if the design gives them."""


def _texts(state: TableState) -> dict[str, str]:
    days = f", {state.recovery_days} days" if state.recovery_days else ""
    return {
        "billing": shown_billing(state.billing),
        "warm_throughput": f"{state.warm.read} read, {state.warm.write} write" if state.warm else ABSENT,
        "ttl": state.ttl or "off",
        "stream": state.stream or "off",
        "point_in_time_recovery": _switch(state.point_in_time_recovery) + days,
        "table_class": state.table_class,
        "encryption_key": state.encryption_key or "owned by DynamoDB",
        "contributor_insights": _switch(state.insights),
        "resource_policy": ABSENT if state.policy is None else _json(state.policy),
        "tags": ", ".join(f"{name}={value}" for name, value in state.tags) or ABSENT,
        "deletion_protection": _switch(state.deletion_protection),
        "replicas": ", ".join(sorted(state.replicas)) or ABSENT,
    }


def _switch(on: bool) -> str:
    return "on" if on else "off"


def _json(policy: Any) -> str:
    return json.dumps(policy, indent=2, default=str)


def _shown_key(key: tuple[KeyPart, ...]) -> str:
    return ", ".join(name if kind == UNKNOWN else f"{name} ({kind})" for name, _, kind in key)


def _shown_index(index: IndexState) -> str:
    kind = "local" if index.local else "global"
    billing = f", {shown_billing(index.billing)}" if index.billing else ""
    projection, *names = index.projection
    projected = f"{projection} {', '.join(names)}" if names else projection
    return f"{kind}: {_shown_key(index.key)}; {projected}{billing}"
