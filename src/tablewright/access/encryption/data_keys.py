"""Data keys: the key table has one item for each context, with the wrapped keys of that context.

    owner    [["accountId","a1"]]                       the leading value of the context: the tenant
    context  [["accountId","a1"],["sourceId","s1"]]     the whole context
    keys     id, master key and wrapped data key of each key; the newest is last

This module handles wrapped keys only; the vault unwraps them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from tablewright.access.procedures import Call, Pause, Procedure, all_items, with_retries
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.markers import Encrypted
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.dynamodb.limits import MAX_BATCH_KEYS
from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise
from tablewright.errors import ConditionalCheckFailed, KeyringError, SecretError

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0


@dataclass(frozen=True, slots=True)
class KeyName:
    """The context of a data key."""

    owner: str
    context: str

    @classmethod
    def of(cls, *parts: Sequence[str]) -> "KeyName":
        """Return the name of a key from the parts of its context; JSON keeps different contexts different.

        >>> KeyName.of(("accountId", "a1"), ("sourceId", "s1")).owner
        '[["accountId","a1"]]'
        """
        return cls(_text(parts[:1]), _text(parts))

    def covers(self, parts: Iterable[Sequence[str]]) -> bool:
        """Whether all these parts are in the context."""
        own = orjson.loads(self.context)
        return all(list(part) in own for part in parts)

    @property
    def key(self) -> Item:
        """The primary key of the context's item."""
        return {"owner": {"S": self.owner}, "context": {"S": self.context}}


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A data key as it is stored."""

    id: bytes
    master: str
    wrapped: bytes

    def attribute(self) -> AttributeValue:
        """Return the key as an element of the item's list."""
        return {"M": {"id": {"B": self.id}, "master": {"S": self.master}, "wrapped": {"B": self.wrapped}}}


def key_name(layout: Layout, secret: FieldLayout, marker: Encrypted, item: Item) -> KeyName:
    """Return the name of the data key that encrypts a field of an item."""
    if not marker.context:
        return KeyName.of(("entity", layout.table.name, entity_type(layout)))
    return KeyName.of(*(context_part(layout, secret, name, item) for name in marker.context))


def context_part(layout: Layout, secret: FieldLayout, name: str, item: Item) -> tuple[str, str]:
    """Return one part of a context: the stored name of a field, and its value as text."""
    stored = layout.fields[name].stored
    value = item.get(stored)
    if value is None:
        raise SecretError(
            f"{called(layout, secret)} has {name} in its context, which this item or read does not have; add {name}"
        )
    ((kind, content),) = normalise(value).items()
    if kind not in ("S", "N"):
        raise SecretError(
            f"{called(layout, secret)} has {name} in its context, which is neither text nor number"
        )
    return stored, str(content)


def entity_type(layout: Layout) -> str:
    """Return the name of an entity in bindings and digests."""
    return layout.type_name or layout.entity.__name__


def called(layout: Layout, secret: FieldLayout) -> str:
    """Return the name of a field in errors."""
    return f"{layout.entity.__name__}.{secret.name}"


def load(table: str, names: Iterable[KeyName]) -> Procedure[dict[KeyName, list[WrappedKey]]]:
    """Load the wrapped keys of several contexts; a context without keys is left out."""
    loaded: dict[KeyName, list[WrappedKey]] = {}
    waiting = [name.key for name in dict.fromkeys(names)]
    pause = _FIRST_PAUSE
    while waiting:
        batch, rest = waiting[:MAX_BATCH_KEYS], waiting[MAX_BATCH_KEYS:]
        wanted_keys = {"Keys": batch, "ConsistentRead": True}
        reply = yield from with_retries(Call("BatchGetItem", {"RequestItems": {table: wanted_keys}}))
        loaded |= dict(map(_read, reply["Responses"].get(table, [])))
        unprocessed = reply.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])
        waiting = [*unprocessed, *rest]
        if unprocessed:
            yield Pause(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
    return loaded


def add(table: str, name: KeyName, known: Sequence[WrappedKey], fresh: WrappedKey) -> Procedure[bool]:
    """Append a key to the known keys of a context; return False when another process has changed them."""
    return (yield from replace(table, name, known, [*known, fresh]))


def replace(
    table: str, name: KeyName, known: Sequence[WrappedKey], new: Sequence[WrappedKey]
) -> Procedure[bool]:
    """Replace the known keys of a context; return False when another process has changed them."""
    request: dict[str, Any] = {
        "TableName": table,
        "Item": {**name.key, "keys": _list(new)},
        "ConditionExpression": "attribute_not_exists(#keys)",
        "ExpressionAttributeNames": {"#keys": "keys"},
    }
    if known:
        request["ConditionExpression"] = "#keys = :known"
        request["ExpressionAttributeValues"] = {":known": _list(known)}
    try:
        yield from with_retries(Call("PutItem", request))
    except ConditionalCheckFailed:
        return False
    return True


def load_all(table: str) -> Procedure[dict[KeyName, list[WrappedKey]]]:
    """Load the wrapped keys of all contexts."""
    items = yield from all_items("Scan", {"TableName": table, "ConsistentRead": True})
    return dict(map(_read, items))


def load_owner(table: str, owner: str) -> Procedure[dict[KeyName, list[WrappedKey]]]:
    """Load the wrapped keys of one tenant."""
    request = {
        "TableName": table,
        "ConsistentRead": True,
        "KeyConditionExpression": "#owner = :owner",
        "ExpressionAttributeNames": {"#owner": "owner"},
        "ExpressionAttributeValues": {":owner": {"S": owner}},
    }
    return dict(map(_read, (yield from all_items("Query", request))))


def delete(table: str, names: Iterable[KeyName]) -> Procedure[None]:
    """Delete all keys of some contexts: values that they encrypted can never be read again."""
    for name in names:
        yield from with_retries(Call("DeleteItem", {"TableName": table, "Key": name.key}))


def _read(item: Item) -> tuple[KeyName, list[WrappedKey]]:
    name = KeyName(item["owner"]["S"], item["context"]["S"])
    try:
        keys = [
            WrappedKey(entry["M"]["id"]["B"], entry["M"]["master"]["S"], entry["M"]["wrapped"]["B"])
            for entry in item["keys"]["L"]
        ]
    except KeyError:
        raise KeyringError(
            f"the item for {name.context} in the key table was changed and has no valid keys; "
            "restore the item from a backup of the key table"
        ) from None
    return name, keys


def _list(keys: Sequence[WrappedKey]) -> AttributeValue:
    return {"L": [key.attribute() for key in keys]}


def _text(parts: Sequence[Sequence[str]]) -> str:
    return orjson.dumps(parts).decode()
