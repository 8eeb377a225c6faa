"""Merge orders: compare the items of several queries by their sort keys, as DynamoDB orders them.

Texts are compared by their code points, which is the order of their UTF-8 bytes; numbers by value; binaries by their
bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from tablewright.access.reads.page_read import PageRead
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UsageError

Order: TypeAlias = Callable[[Item], Any]
"""Returns what the items of a query are ordered by."""

_COMPARED: dict[str, Callable[[Any], Any]] = {"S": str, "N": Decimal, "B": bytes}


def merge_orders(
    reads: Sequence[PageRead], requests: Sequence[Mapping[str, Any]], *, ignore_prefix: bool
) -> tuple[Order, ...]:
    """Return the order of each query; raise `UsageError` when the queries have no common order."""
    _require_common_order(reads)
    prefixes = [_prefix(read, request) for read, request in zip(reads, requests, strict=True)]
    if ignore_prefix:
        for read, prefix in zip(reads, prefixes, strict=True):
            if prefix is None:
                raise UsageError(
                    f"ignore_prefix=True needs begins_with in the key of each query, and {read.plan.name} has none"
                )
    elif len(set(prefixes)) > 1 and None not in prefixes:
        shown = " and ".join(f"{prefix!r}" for prefix in dict.fromkeys(prefixes))
        raise UsageError(
            f"the queries have sort keys that begin with different texts, {shown}, so their items would not be mixed; "
            "compare what follows with Merged(..., ignore_prefix=True), or read one after the other with Chained(...)"
        )
    return tuple(
        _order(read, len(prefix or "") if ignore_prefix else 0)
        for read, prefix in zip(reads, prefixes, strict=True)
    )


def _sort_types(read: PageRead) -> tuple[tuple[str, str], ...]:
    """The attributes of the sort key, each with its type."""
    plan = read.plan
    names = plan.index.sort if plan.index else plan.table.key[1:]
    return tuple((name, plan.table.type_of(name)) for name in names)


def _require_common_order(reads: Sequence[PageRead]) -> None:
    for read in reads:
        first, name = reads[0], read.plan.name
        if not _sort_types(read):
            where = read.plan.index.name if read.plan.index else read.plan.table.name
            raise UsageError(f"{name} reads {where}, which has no sort key to merge by; use Chained(...)")
        if [kind for _, kind in _sort_types(read)] != [kind for _, kind in _sort_types(first)]:
            raise UsageError(
                f"{first.plan.name} is ordered by {_shown(first)} and {name} by {_shown(read)}, which cannot be "
                "compared; merge queries whose sort keys have the same type"
            )
        if read.plan.pattern.descending != first.plan.pattern.descending:
            raise UsageError(
                f"{first.plan.name} and {name} have opposite orders; give both the same descending"
            )


def _shown(read: PageRead) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in _sort_types(read))


def _prefix(read: PageRead, request: Mapping[str, Any]) -> str | None:
    """The text that the sort keys of a query begin with."""
    if read.compiled.prefix is None:
        return None
    text: str | None = request["ExpressionAttributeValues"][read.compiled.prefix[1]].get("S")
    return text


def _order(read: PageRead, ignored: int) -> Order:
    parts = [
        _without_prefix(name, ignored)
        if ignored and read.compiled.prefix and name == read.compiled.prefix[0]
        else _value(name, kind)
        for name, kind in _sort_types(read)
    ]
    return parts[0] if len(parts) == 1 else lambda item: tuple(part(item) for part in parts)


def _value(name: str, kind: str) -> Order:
    compared = _COMPARED[kind]
    return lambda item: compared(item[name][kind])


def _without_prefix(name: str, ignored: int) -> Order:
    return lambda item: item[name]["S"][ignored:]
