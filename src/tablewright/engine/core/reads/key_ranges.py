"""Ranges of key bytes: what a Query or a Scan reads, and where the next page starts.

Every key condition is one range, because parts of a key sort as their values do (see `values.key_bytes`).
"""

from typing import NamedTuple

from tablewright.dynamodb.expressions import KeyRange
from tablewright.dynamodb.expressions.key_condition import BEGINS_WITH, BETWEEN
from tablewright.dynamodb.values.key_bytes import after, part, partition, segment_start
from tablewright.engine.core.state.key_schema import require_hash_size


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
