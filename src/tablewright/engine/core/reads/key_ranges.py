"""Ranges of key bytes: what a Query or a Scan reads, and where the next page starts.

Every key condition is one range, because parts of a key sort as their values do (see `values.key_bytes`).

ExclusiveStartKey: the end of the last page, as the client sends it.

It must be a key of the table (and index) that is read, inside of the range that is read, with keys possible after it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import KeyRange
from tablewright.dynamodb.expressions.key_condition import BEGINS_WITH, BETWEEN
from tablewright.dynamodb.values.attributes import Item, admit_item, type_of
from tablewright.dynamodb.values.key_bytes import after, part, partition, segment_start
from tablewright.engine.core.reads.read_sources import ReadSource
from tablewright.engine.core.state.key_schema import MISMATCH, require_hash_size
from tablewright.errors import ValidationError


class Span(NamedTuple):
    """The keys with `low <= key < high`; None as `high` means no upper end."""

    low: bytes
    high: bytes | None

    def __contains__(self, key: object) -> bool:
        return isinstance(key, bytes) and self.low <= key and (self.high is None or key < self.high)

    def beyond(self, key: bytes, *, backward: bool) -> "Span":
        """The rest of the span after everything up to and including `key` has been read."""
        if backward:
            return Span(self.low, min(key, self.high) if self.high else key)
        # No key is a prefix of another, so there is no key between a key and the next prefix.
        return Span(max(self.low, after(key) or key), self.high)

    @property
    def is_empty(self) -> bool:
        """Whether the span can contain no key."""
        return self.high is not None and self.low >= self.high


EVERYTHING = Span(b"", None)


def span_of(chosen: KeyRange) -> Span:
    """The keys that a key condition selects.

    >>> two = span_of(KeyRange(({"S": "p"},), (), "BETWEEN", ({"S": "a"}, {"S": "b"})))
    >>> [partition([{"S": "p"}]) + part({"S": text}) in two for text in ("Z", "a", "b", "b0")]
    [False, True, True, False]
    """
    for value in chosen.hash_values:
        require_hash_size(value)
    base = partition(chosen.hash_values)
    for value in chosen.prefix:
        base += part(value)
    if chosen.operator is None:
        return Span(base, after(base))
    first = base + part(chosen.operands[0], closed=chosen.operator != BEGINS_WITH)
    match chosen.operator:
        case "<":
            return Span(base, first)
        case "<=":
            return Span(base, after(first))
        case ">":
            return Span(after(first) or first, after(base))
        case ">=":
            return Span(first, after(base))
        case _:
            last = base + part(chosen.operands[1]) if chosen.operator == BETWEEN else first
            return Span(first, after(last))


def segment_span(segment: int, total: int) -> Span:
    """The keys of one of `total` equal segments.

    >>> segment_span(0, 2), segment_span(1, 2)
    (Span(low=b'\\x00\\x00\\x00\\x00', high=b'\\x80\\x00\\x00\\x00'), Span(low=b'\\x80\\x00\\x00\\x00', high=None))
    """
    return Span(
        segment_start(segment, total), segment_start(segment + 1, total) if segment + 1 < total else None
    )


INVALID = "The provided starting key is invalid"
_OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
_PREDICATE = "The provided starting key does not match the range key predicate"
_ONE_ROW = "The query can return at most one row and cannot be restarted"

# AWS puts the parameter's name before some error messages about its values, and not before these.
_UNPREFIXED = re.compile(r"contains duplicates|number set|numeric value|significant digits|magnitude")


def start_key_of(request: Mapping[str, Any]) -> Item | None:
    """The start key of a request, validated."""
    start = request.get("ExclusiveStartKey")
    if start is None:
        return None
    try:
        return admit_item(start)[0]
    except ValidationError as error:
        if _UNPREFIXED.search(error.message):
            raise
        raise ValidationError(f"{INVALID}: {error.message}", f"{INVALID}: {error.older}") from None


def require_key_parts(source: ReadSource, names: Iterable[str], start: Item) -> None:
    """Reject a start key that lacks one of these key attributes, or has it with another type."""
    for name in names:
        value = start.get(name)
        if value is None:
            raise ValidationError(INVALID)
        kind = source.keys.types[name]
        if type_of(value) != kind:
            raise ValidationError(MISMATCH)
        if not value[kind]:
            empty = "string" if kind == "S" else "binary"
            raise ValidationError(
                "One or more parameter values were invalid: The AttributeValue for a key attribute "
                f"cannot contain an empty {empty} value. Key: {name}"
            )


def require_table_key(source: ReadSource, start: Item) -> None:
    """Reject a start key that is not a key of the table."""
    table_keys = source.table.keys
    try:
        table_keys.of_key({name: start[name] for name in table_keys.names if name in start})
    except ValidationError as error:
        raise ValidationError(f"{INVALID}: {error.message}") from None


def require_within(source: ReadSource, chosen: KeyRange, span: Span, start: Item, *, backward: bool) -> None:
    """Reject a start key outside of the range of the key condition, or at its very end."""
    head = partition(chosen.hash_values)
    same_partition = partition([start[name] for name in source.keys.hash]) == head
    if chosen.prefix or chosen.operator:
        for name in source.keys.range:
            head += part(start[name])
        if head not in span:
            raise ValidationError(_PREDICATE)
        if not same_partition:
            raise ValidationError(_ONE_ROW)
    elif not same_partition:
        raise ValidationError(_OUTSIDE)
    if span.beyond(source.key_of(start), backward=backward).is_empty:
        _reject_exhausted(source, chosen, start)


def _reject_exhausted(source: ReadSource, chosen: KeyRange, start: Item) -> None:
    if not source.keys.range:
        ((name, value),) = start.items()
        ((kind, content),) = value.items()
        shown = f"{{{name}=AttributeValue: {{{kind}:{content}}}}}"
        raise ValidationError(f"The provided exclusive start key is invalid: ExclusiveStartKey: {shown}")
    raise ValidationError(_ONE_ROW if len(chosen.prefix) == len(source.keys.range) else _OUTSIDE)
