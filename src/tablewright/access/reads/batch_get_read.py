"""Batch get reads: many items by their primary keys, with BatchGetItem.

Batch replies: a BatchGetItem, repeated for the keys that DynamoDB left unprocessed.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.procedures import (
    ATTEMPTS,
    Call,
    Procedure,
    Reply,
    backoff,
    consumed_units,
    count_retry,
    with_retries,
)
from tablewright.access.reads.pages import Page, PageBuilder
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns import Pattern
from tablewright.dynamodb.limits import MAX_BATCH_KEYS
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ProvisionedThroughputExceeded, UsageError


def batch_replies(request: dict[str, Any], name: str) -> Procedure[list[Reply]]:
    """Make a BatchGetItem; repeat it for unprocessed keys until all are read."""
    replies = []
    for attempt in range(ATTEMPTS):
        reply = yield from with_retries(Call("BatchGetItem", request))
        replies.append(reply)
        if not reply.get("UnprocessedKeys"):
            return replies
        request = {**request, "RequestItems": reply["UnprocessedKeys"]}
        count_retry("UnprocessedKeys")
        yield backoff(attempt)
    raise ProvisionedThroughputExceeded(
        f"{name}: keys were left unprocessed {ATTEMPTS} times; the table has too little capacity"
    )


LookUp = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class BatchGetRead(PatternRead):
    """Runs a `BatchGet`."""

    kind = "BatchGet"

    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Any]]:
        self._require_no_paging(limit, cursor)
        return self._batch(pattern, include_expired)

    def request(self, pattern: Pattern[Any]) -> dict[str, Any]:
        """Return the first request of a run, to be shown: values that are looked up by their hash are masked."""
        return self.compiled.batch(self._keys(pattern, self._masked)[:MAX_BATCH_KEYS])

    def expected_items(self, pattern: Pattern[Any], limit: int | None) -> int:
        """Return the number of different keys."""
        return len(self._keys(pattern, dict))

    def _batch(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Page[Any]]:
        keys = self._keys(pattern, self._looked_up)
        builder = PageBuilder()
        items: dict[ComparableKey, Item] = {}
        for chunk in _chunks(keys, MAX_BATCH_KEYS):
            yield from self._fetch(chunk, items, builder)
        yield from self._fetch_keys(items.values())
        for key in keys:
            item = items.get(comparable_key(self.plan.table, key))
            if item is not None and self.is_returned(item, include_expired):
                self.add(item, builder)
        return builder.page()

    def _fetch(
        self, keys: list[Item], items: dict[ComparableKey, Item], builder: PageBuilder
    ) -> Procedure[None]:
        """Read keys."""
        for reply in (yield from batch_replies(self.compiled.batch(keys), self.plan.name)):
            builder.consumed += consumed_units(reply)
            for item in reply.get("Responses", {}).get(self.compiled.table_name, ()):
                items[comparable_key(self.plan.table, item)] = item

    def _keys(self, pattern: Pattern[Any], look_up: LookUp) -> list[Item]:
        """Return the different keys of a batch: list parameters vary together, other parameters are shared."""
        values = pattern.__dict__
        lists = {name: list(value) for name, value in values.items() if _is_list(value)}
        if len(set(map(len, lists.values()))) > 1:
            lengths = ", ".join(f"{len(values)} of {name}" for name, values in lists.items())
            raise UsageError(f"{self.plan.name}: list parameters must have the same length, got {lengths}")
        rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        keys = [self.compiled.key(look_up({**values, **row})) for row in rows]
        return list({comparable_key(self.plan.table, key): key for key in keys}.values())


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def _chunks(keys: list[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(keys)
    while chunk := list(islice(rest, size)):
        yield chunk
