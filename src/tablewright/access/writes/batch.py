"""Batches: many puts and deletes, fast and cheap, each on its own.

A batch has no conditions and no transactions. It takes only entities that are a single item: entities with unique
fields, copies, counters or a version are rejected, because a batch would make them inconsistent.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from tablewright.access.context import Context
from tablewright.access.items.footprint import ComparableKey, comparable_key, footprint, require_whole
from tablewright.access.items.vault import compute_with_keys, secret_fields
from tablewright.access.procedures import (
    ATTEMPTS,
    NETWORK_ATTEMPTS,
    RETRYABLE,
    Call,
    Procedure,
    Reply,
    backoff,
    count_retry,
)
from tablewright.access.writes import automatic_fields
from tablewright.access.writes.automatic_fields import check_expiry
from tablewright.access.writes.values import Delete, Put, target_of
from tablewright.access.writes.write_plan import require_batch_allowed
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.fields.markers import Counter, Unique, Version
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.limits import MAX_BATCH_WRITES
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import BatchUnfinished, InvalidWrite, LostConnection, TablewrightError


@dataclass(frozen=True, slots=True)
class _Entry:
    """One write of a batch."""

    write: Put[Any] | Delete[Any] | None
    """The write of the caller; None for a key that is deleted."""
    table: Table
    key: ComparableKey
    request: dict[str, Any]


def batch(context: Context, writes: Iterable[Put[Any] | Delete[Any]]) -> Procedure[None]:
    """Execute puts and deletes without conditions; `BatchUnfinished` lists the writes that were not executed."""
    entries: list[_Entry] = []
    for write in writes:
        entries.append((yield from compute_with_keys(partial(_entry, context, write))))
    _require_distinct(entries)
    left: list[_Entry] = []
    error: TablewrightError | None = None
    for chunk in _chunks(entries, MAX_BATCH_WRITES):
        if isinstance(error, LostConnection):
            left += chunk
            continue
        unfinished, error = yield from _send(context, chunk)
        left += unfinished
    if left:
        raise BatchUnfinished([entry.write for entry in left], len(entries)) from error


def delete_keys(
    context: Context, table: Table, keys: Iterable[Item]
) -> Procedure[tuple[list[Item], TablewrightError | None]]:
    """Delete items by their keys, without conditions; return the keys that are left, and the last error."""
    entries = [
        _Entry(None, table, comparable_key(table, key), {"DeleteRequest": {"Key": key}}) for key in keys
    ]
    left: list[Item] = []
    error: TablewrightError | None = None
    for chunk in _chunks(entries, MAX_BATCH_WRITES):
        unfinished, failure = yield from _send(context, chunk)
        if isinstance(failure, LostConnection):
            raise failure
        left += (entry.request["DeleteRequest"]["Key"] for entry in unfinished)
        error = failure or error
    return left, error


def _entry(context: Context, write: Put[Any] | Delete[Any]) -> _Entry:
    match write:
        case Put() | Delete() if write.otherwise is not None:
            raise InvalidWrite("a batch has no preconditions, so otherwise= is never raised; use transact")
        case Put(entity):
            layout = entity.layout
            context.require_writable(layout)
            require_batch_allowed(layout, write)
            _require_plain(layout)
            _require_own_keys(context, layout)
            require_whole(entity)
            whole = automatic_fields.validated_on_put(entity, context.timestamp)
            automatic_fields.complete_on_put(whole)
            item = footprint(whole, context.vault).main
            check_expiry(layout.table, item, layout)
            if secret_fields(layout):
                item = context.vault.encrypt(layout, item)
            return _Entry(
                write, layout.table, comparable_key(layout.table, item), {"PutRequest": {"Item": item}}
            )
        case Delete(reference, None, None):
            target = target_of(reference)
            context.require_writable(target.layout)
            table = target.layout.table
            require_batch_allowed(target.layout, write)
            _require_plain(target.layout)
            key = target.key(context.vault)
            return _Entry(write, table, comparable_key(table, key), {"DeleteRequest": {"Key": key}})
        case _:
            raise InvalidWrite(
                f"a batch takes Put and unconditional Delete, not {describe_argument(write)}; use transact"
            )


def _require_plain(layout: Layout) -> None:
    reasons = {
        "copies": bool(layout.copies),
        "unique fields": bool(layout.marked(Unique)),
        "counters": bool(layout.marked(Counter)),
        "a version": bool(layout.marked(Version)),
    }
    having = [reason for reason, applies in reasons.items() if applies]
    if having:
        raise InvalidWrite(
            f"{layout.entity.__name__} has {' and '.join(having)}, which a batch cannot keep consistent; "
            "write it with put, delete or transact"
        )


def _require_own_keys(context: Context, layout: Layout) -> None:
    """Reject a put that could replace an item of another type: a batch has no condition that prevents it."""
    sharing = context.design.sharing_key_with(layout) if context.design else ()
    if sharing:
        name, other = layout.entity.__name__, sharing[0].__name__
        raise InvalidWrite(
            f"{name} and {other} have keys of the same form, and a put in a batch replaces a {other} that has the "
            f"key of the {name}; write it with put or transact, or begin each key with a text of its own"
        )


def _require_distinct(entries: Sequence[_Entry]) -> None:
    seen: set[tuple[Table, ComparableKey]] = set()
    for entry in entries:
        if (entry.table, entry.key) in seen:
            key = ", ".join(f"{name} = {content!r}" for name, _, content in entry.key)
            raise InvalidWrite(
                f"the batch has two writes of one item, {key}; their order is not defined, so remove one"
            )
        seen.add((entry.table, entry.key))


def _send(
    context: Context, entries: Sequence[_Entry]
) -> Procedure[tuple[Sequence[_Entry], TablewrightError | None]]:
    """Send writes until all are executed or many attempts in a row executed none; return the rest and last error."""
    left = entries
    error: TablewrightError | None = None
    idle = 0
    while left and idle < (NETWORK_ATTEMPTS if isinstance(error, LostConnection) else ATTEMPTS):
        waiting = len(left)
        try:
            reply = yield Call("BatchWriteItem", {"RequestItems": _requests(context, left)})
            left, error = _unprocessed(context, left, reply), None
        except RETRYABLE as caught:
            error = caught
        if left:
            idle = idle + 1 if len(left) == waiting else 0
            count_retry(error or "UnprocessedItems")
            yield backoff(idle)
    return left, error


def _requests(context: Context, entries: Iterable[_Entry]) -> dict[str, list[dict[str, Any]]]:
    by_table: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        by_table.setdefault(context.table_name(entry.table), []).append(entry.request)
    return by_table


def _unprocessed(context: Context, entries: Iterable[_Entry], reply: Reply) -> list[_Entry]:
    """The writes that DynamoDB returned as unprocessed, found by their keys."""
    back = reply.get("UnprocessedItems") or {}
    return [
        entry
        for entry in entries
        if entry.key in _keys(entry.table, back.get(context.table_name(entry.table)))
    ]


def _keys(table: Table, requests: Sequence[dict[str, Any]] | None) -> set[ComparableKey]:
    return {comparable_key(table, _image(request)) for request in requests or ()}


def _image(request: dict[str, Any]) -> Item:
    image: Item = (
        request["PutRequest"]["Item"] if "PutRequest" in request else request["DeleteRequest"]["Key"]
    )
    return image


def _chunks(entries: Iterable[_Entry], size: int) -> Iterator[list[_Entry]]:
    rest = iter(entries)
    while chunk := list(islice(rest, size)):
        yield chunk
