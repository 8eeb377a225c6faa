"""Work on many items in step, so that their reads are joined: one BatchGetItem for many items, not one for each.

Over a network, a call costs the client far more than the items in it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tablewright.access.procedures import Call, Procedure, Reply, advance
from tablewright.dynamodb.values.attributes import Item, normalise
from tablewright.errors import TablewrightError

T = TypeVar("T")

MOST_KEYS = 100
"""Keys of one BatchGetItem, at most."""

_Identity = tuple[tuple[str, str], ...]


def in_step(procedures: Sequence[Procedure[T]]) -> Procedure[list[T]]:
    """Run procedures in turns; those that read items at the same time share a call. Return their results in order."""
    results: dict[int, T] = {}
    replies: dict[int, Reply | Exception | None] = dict.fromkeys(range(len(procedures)))
    while replies:
        reads: dict[int, dict[str, Any]] = {}
        received: dict[int, Reply | Exception | None] = {}
        for place, reply in replies.items():
            try:
                effect = advance(procedures[place], reply)
            except StopIteration as end:
                results[place] = end.value
                continue
            if isinstance(effect, Call) and effect.operation == "BatchGetItem":
                reads[place] = effect.request
                continue
            try:
                received[place] = yield effect
            except TablewrightError as error:
                received[place] = error
        received |= yield from _read(reads)
        replies = received
    return [results[place] for place in range(len(procedures))]


def _read(requests: Mapping[int, dict[str, Any]]) -> Procedure[dict[int, Reply | Exception]]:
    """Make the calls of several BatchGetItem requests; return the reply for each."""
    received: dict[int, Reply | Exception] = {}
    batch: dict[int, dict[str, Any]] = {}
    size = 0
    for place, request in requests.items():
        keys = sum(len(wanted["Keys"]) for wanted in request["RequestItems"].values())
        if batch and size + keys > MOST_KEYS:
            received |= yield from _read_batch(batch)
            batch, size = {}, 0
        batch[place] = request
        size += keys
    if batch:
        received |= yield from _read_batch(batch)
    return received


def _read_batch(requests: Mapping[int, dict[str, Any]]) -> Procedure[dict[int, Reply | Exception]]:
    joined: dict[str, dict[_Identity, Item]] = {}
    for request in requests.values():
        for table, wanted in request["RequestItems"].items():
            joined.setdefault(table, {}).update({_identity(key, key): key for key in wanted["Keys"]})
    members = {table: {"Keys": list(keys.values()), "ConsistentRead": True} for table, keys in joined.items()}
    try:
        reply = yield Call("BatchGetItem", {"RequestItems": members})
    except TablewrightError as error:
        return dict.fromkeys(requests, error)
    stored = {
        table: {_identity(item, next(iter(joined[table].values()))): item for item in items}
        for table, items in reply.get("Responses", {}).items()
    }
    left = {
        table: {_identity(key, key) for key in wanted["Keys"]}
        for table, wanted in reply.get("UnprocessedKeys", {}).items()
    }
    return {place: _own(request, stored, left) for place, request in requests.items()}


def _own(
    request: dict[str, Any],
    stored: Mapping[str, Mapping[_Identity, Item]],
    left: Mapping[str, set[_Identity]],
) -> Reply:
    """The part of a joined reply that one request asked for."""
    responses: dict[str, list[Item]] = {}
    unprocessed: dict[str, Any] = {}
    for table, wanted in request["RequestItems"].items():
        keys = {_identity(key, key): key for key in wanted["Keys"]}
        items = stored.get(table, {})
        responses[table] = [items[key] for key in keys if key in items]
        waiting = [key for identity, key in keys.items() if identity in left.get(table, ())]
        if waiting:
            unprocessed[table] = {**wanted, "Keys": waiting}
    return {"Responses": responses, "UnprocessedKeys": unprocessed}


def _identity(item: Item, key: Item) -> _Identity:
    """The key of an item in a form that can be compared; `key` has the names of the key attributes."""
    return tuple((name, str(normalise(item[name]))) for name in sorted(key))
