"""Read entities of several classes and tables by their keys, with BatchGetItem."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tablewright.access.calls.procedures import Concurrent, Procedure, Reply
from tablewright.access.context import Context
from tablewright.access.given_values import describe_given
from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.reads.batch_get_read import batch_replies
from tablewright.access.reads.compiled_reads import CompiledReads
from tablewright.access.reads.get_read import GetRead
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.patterns.patterns import Pattern
from tablewright.dynamodb.limits import MAX_BATCH_KEYS
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UsageError


@dataclass(frozen=True, slots=True)
class KeyedGet:
    """A `Get` with its key."""

    read: GetRead
    key: Item

    @property
    def identity(self) -> tuple[str, ComparableKey]:
        """The table and the key, in a form that can be compared."""
        return self.read.compiled.table_name, comparable_key(self.read.plan.table, self.key)


def get_all(
    reads: CompiledReads, context: Context, patterns: Sequence[Any], include_expired: bool
) -> Procedure[list[Any]]:
    """Read the entity of each pattern; None where there is none."""
    gets = yield from compute_with_keys(lambda: keyed_gets(reads, patterns))
    calls = [batch_replies(request, "get_all") for request in batch_requests(gets)]
    replies: list[list[Reply]] = (yield Concurrent(calls))["results"] if calls else []
    tables = {get.read.compiled.table_name: get.read.plan.table for get in gets}
    items = {
        (name, comparable_key(tables[name], item)): item
        for reply in (each for batch in replies for each in batch)
        for name, found in reply.get("Responses", {}).items()
        for item in found
    }
    found = [(get, items.get(get.identity)) for get in gets]
    yield from context.vault.prepare(
        (layout, item)
        for get, item in found
        if item is not None
        for layout in get.read.plan.layouts
        if layout.secrets
    )
    return [None if item is None else get.read.entity(item, include_expired) for get, item in found]


def keyed_gets(reads: CompiledReads, patterns: Sequence[Any], *, masked: bool = False) -> list[KeyedGet]:
    """Return the patterns with their keys; `masked` hides values that are looked up by their hash."""
    found = []
    for pattern in patterns:
        read = reads.of(pattern) if isinstance(pattern, Pattern) else None
        if not isinstance(read, GetRead):
            raise UsageError(
                f"get_all takes Get patterns with their parameters, not {describe_given(pattern)}"
            )
        if read.plan.lock is not None:
            raise UsageError(
                f"{read.plan.name} reads the lock of a unique value and then its owner, which get_all cannot; "
                "run it alone with db.run(...)"
            )
        found.append(KeyedGet(read, read.key_of(pattern, masked=masked)))
    return found


def batch_requests(gets: Sequence[KeyedGet]) -> Iterator[dict[str, Any]]:
    """Return the requests: different keys only, up to 100 in each."""
    distinct = iter({get.identity: get for get in gets}.values())
    consistent = {get.read.compiled.table_name for get in gets if get.read.plan.pattern.consistent}
    while batch := list(islice(distinct, MAX_BATCH_KEYS)):
        tables: dict[str, dict[str, Any]] = {}
        for get in batch:
            name = get.read.compiled.table_name
            options = {"ConsistentRead": True} if name in consistent else {}
            tables.setdefault(name, {"Keys": [], **options})["Keys"].append(get.key)
        yield {"RequestItems": tables, "ReturnConsumedCapacity": "TOTAL"}
