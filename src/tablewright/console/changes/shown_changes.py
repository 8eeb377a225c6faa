"""Shown changes: an item before and after a change, as the page shows it, without secret values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.access.streams.consumer_lags import record_time
from tablewright.console.items.key_texts import text_of
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify, show_item, visible
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item, normalise
from tablewright.errors import UsageError

ChangeKind = Literal["inserted", "modified", "removed", "same"]


def show_change(
    opened: OpenDesign, table: Table, key: Item, before: Item | None, after: Item | None
) -> dict[str, Any]:
    """Describe a change for the page.

    - what `show_item` describes, of the newer of the two: `role`, `entity`, `title`, `key`, `key_parts`, `attributes`
    - `kind`: `inserted`, `modified`, `removed`, or `same` when both are equal
    - `before`, `after`: the item in DynamoDB's JSON, secret values replaced, or None
    - `changed`: the names of the attributes that differ; secret ones too, though their values are hidden
    """
    shown = show_item(opened, table, after or before or key)
    for name in ("item", "problem", "size"):
        del shown[name]
    return shown | {
        "kind": change_kind(before, after),
        "before": _visible(opened, table, before),
        "after": _visible(opened, table, after),
        "changed": changed_attributes(before, after),
    }


def change_kind(before: Item | None, after: Item | None) -> ChangeKind:
    """Return what happened to an item."""
    if before is None:
        return "same" if after is None else "inserted"
    if after is None:
        return "removed"
    return "modified" if changed_attributes(before, after) else "same"


def changed_attributes(before: Item | None, after: Item | None) -> list[str]:
    """Return the names of the attributes that differ, in the order of the items.

    >>> changed_attributes({"a": {"N": "1"}, "b": {"N": "2"}}, {"a": {"N": "1.0"}, "c": {"S": "x"}})
    ['b', 'c']
    """
    old, new = before or {}, after or {}
    return [name for name in dict.fromkeys((*old, *new)) if _differs(old.get(name), new.get(name))]


def _differs(old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    if old is None or new is None or old == new:
        return old != new
    return normalise(old) != normalise(new)


def _visible(opened: OpenDesign, table: Table, item: Item | None) -> Item | None:
    return None if item is None else visible(opened, table, item, identify(opened, table, item).layout)


EVENTS = ("inserted", "modified", "removed", "expired")
_NAMES = {"INSERT": "inserted", "MODIFY": "modified", "REMOVE": "removed"}


@dataclass(frozen=True)
class RecordFilter:
    """Which records a tail shows; None or empty selects all."""

    entity: str | None = None
    events: frozenset[str] = frozenset()
    key: str | None = None
    """The text with which the partition key or the sort key begins."""
    changed: str | None = None
    """A field or an attribute that must have changed."""
    only_entities: bool = False
    """Whether copies and locks are left out."""

    @classmethod
    def of(cls, opened: OpenDesign, query: Mapping[str, str]) -> "RecordFilter":
        """Return the filter of a query string; `UsageError` for names that the design does not have."""
        entity = query.get("entity")
        names = [known.__name__ for known in opened.design.entities]
        if entity is not None and entity not in names:
            raise UsageError(f"{opened.name} has no entity {entity}; it has: {', '.join(names)}")
        events = frozenset(filter(None, query.get("events", "").split(",")))
        if unknown := sorted(events.difference(EVENTS)):
            raise UsageError(f"{unknown[0]!r} is not an event; use {', '.join(EVENTS)}")
        dependents = query.get("dependents", "true")
        if dependents not in ("true", "false"):
            raise UsageError(f"dependents is true or false, got {dependents!r}")
        key, changed = query.get("key") or None, query.get("changed") or None
        return cls(entity, events, key, changed, dependents == "false")

    def selects(self, record: Mapping[str, Any]) -> bool:
        """Whether a shown record passes."""
        if self.entity is not None and record["entity"] != self.entity:
            return False
        if self.only_entities and record["role"] in ("copy", "lock"):
            return False
        if self.events and record["event"] not in self.events:
            return False
        if self.key is not None and not any(
            text_of(value).startswith(self.key) for value in record["key"].values()
        ):
            return False
        return self.changed is None or self._has_changed(self.changed, record)

    @staticmethod
    def _has_changed(name: str, record: Mapping[str, Any]) -> bool:
        fields = record["attributes"]
        return any(name in (attribute, fields.get(attribute)) for attribute in record["changed"] or ())


def show_record(opened: OpenDesign, table: Table, shard: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a stream record: what `show_change` describes, the event, its time, and its place in the stream.

    `images` are those that the stream has; without both, `changed` of a modified item is None.
    """
    change = record["dynamodb"]
    before: Item | None = change.get("OldImage")
    after: Item | None = change.get("NewImage")
    shown = show_change(opened, table, change["Keys"], before, after)
    event = _NAMES[record["eventName"]]
    view = change.get("StreamViewType", "KEYS_ONLY")
    is_partial = event == "modified" and view != "NEW_AND_OLD_IMAGES"
    return shown | {
        "id": record["eventID"],
        "event": "expired" if event == "removed" and _is_by_service(record) else event,
        "kind": event,
        "at": record_time(record),
        "shard": shard,
        "sequence": change["SequenceNumber"],
        "size": change.get("SizeBytes", 0),
        "images": view,
        "changed": None if is_partial or view == "KEYS_ONLY" else shown["changed"],
    }


def _is_by_service(record: Mapping[str, Any]) -> bool:
    """Whether DynamoDB has deleted an expired item; endpoints write the member names differently."""
    identity = {name.lower(): value for name, value in (record.get("userIdentity") or {}).items()}
    return identity.get("type") == "Service"
