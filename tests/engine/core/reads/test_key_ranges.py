"""Key ranges: they contain exactly the keys that a key condition selects."""

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.expressions import KeyRange
from tablewright.dynamodb.values.attributes import AttributeValue, normalise
from tablewright.dynamodb.values.key_bytes import part, partition
from tablewright.engine.core.reads.key_ranges import (
    EVERYTHING,
    Span,
    require_key_parts,
    require_table_key,
    require_within,
    segment_span,
    span_of,
    start_key_of,
)
from tablewright.engine.core.reads.read_sources import ReadSource
from tablewright.errors import ValidationError
from tests.engine.player_table import LOCAL, PLAYERS

PARTITION: AttributeValue = {"S": "p"}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

# Few letters, so that prefixes and equal values are common; the extremes are bytes that need escaping.
texts = st.text("a\x00\x01\uffff\U0001f600", max_size=4)
binaries = st.binary(max_size=3) | st.text("\x00\x01\xff", max_size=4).map(
    lambda text: text.encode("latin-1")
)
numbers = st.decimals(-1000, 1000, places=2) | st.integers(-(10**30), 10**30).map(Decimal)


def text(value: str) -> AttributeValue:
    return {"S": value}


def binary(value: bytes) -> AttributeValue:
    return normalise({"B": value})


def number(value: Decimal) -> AttributeValue:
    return normalise({"N": str(value)})


def key(*range_values: AttributeValue) -> bytes:
    return partition([PARTITION]) + b"".join(map(part, range_values))


@st.composite
def three_values(draw: st.DrawFn) -> tuple[list[Any], list[AttributeValue]]:
    """Three values of one type, as Python compares them and as the engine keeps them."""
    values, wire = draw(st.sampled_from([(texts, text), (binaries, binary), (numbers, number)]))
    drawn = [draw(values) for _ in range(3)]
    # Text sorts as its UTF-8 bytes do.
    return [value.encode() if isinstance(value, str) else value for value in drawn], [wire(v) for v in drawn]  # type: ignore[operator]


@given(three_values(), st.sampled_from(sorted(COMPARISONS)))
def test_comparisons(values: tuple[list[Any], list[AttributeValue]], sign: str) -> None:
    (one, other, _), (value, bound, behind) = values
    span = span_of(KeyRange((PARTITION,), (), sign, (bound,)))
    assert (key(value) in span) == COMPARISONS[sign](one, other)
    assert (key(value, behind) in span) == (key(value) in span), "the table's key, in an index"


@given(three_values())
def test_between_and_equality(values: tuple[list[Any], list[AttributeValue]]) -> None:
    (one, low, high), (value, first, last) = values
    span = span_of(KeyRange((PARTITION,), (), "BETWEEN", (first, last)))
    assert (key(value) in span) == (low <= one <= high)
    assert (key(value, last) in span_of(KeyRange((PARTITION,), (first,)))) == (one == low)


@given(st.tuples(texts, texts) | st.tuples(binaries, binaries))
def test_begins_with(pair: tuple[Any, Any]) -> None:
    value, prefix = pair
    wire: Callable[[Any], AttributeValue] = text if isinstance(value, str) else binary
    span = span_of(KeyRange((PARTITION,), (), "begins_with", (wire(prefix),)))
    assert (key(wire(value)) in span) == value.startswith(prefix)


@given(three_values(), st.sampled_from(sorted(COMPARISONS)))
def test_leading_values_narrow_the_range(values: tuple[list[Any], list[AttributeValue]], sign: str) -> None:
    (one, other, _), (value, bound, lead) = values
    span = span_of(KeyRange((PARTITION,), (lead,), sign, (bound,)))
    assert (key(lead, value) in span) == COMPARISONS[sign](one, other)
    assert (key(value, value) in span) == (value == lead and COMPARISONS[sign](one, other))


@given(st.binary(min_size=4, max_size=8), st.integers(1, 1_000_000))
def test_every_key_is_in_one_segment(raw: bytes, total: int) -> None:
    estimate = int.from_bytes(raw[:4], "big") * total >> 32
    near = [segment for segment in (estimate - 1, estimate, estimate + 1) if 0 <= segment < total]
    assert sum(raw in segment_span(segment, total) for segment in near) == 1


def test_segments_have_no_gaps() -> None:
    for total in (1, 2, 3, 7, 1_000_000):
        assert segment_span(0, total).low == b"\x00" * 4
        assert segment_span(total - 1, total).high is None
        for segment in range(min(total, 10) - 1):
            assert segment_span(segment, total).high == segment_span(segment + 1, total).low


def test_the_rest_of_a_span_after_a_key() -> None:
    span = Span(b"b", b"y")
    assert span.beyond(b"m", backward=False) == (b"n", b"y")
    assert span.beyond(b"m", backward=True) == (b"b", b"m")
    assert span.beyond(b"x", backward=False).is_empty
    assert span.beyond(b"b", backward=True).is_empty
    assert not EVERYTHING.beyond(b"\xfe", backward=False).is_empty


@pytest.mark.parametrize(("length", "fits"), [(2047, True), (2048, True), (2049, False), (70_000, False)])
def test_hash_keys_of_queries_have_the_same_limit(length: int, fits: bool) -> None:
    chosen = KeyRange(({"S": "x" * length},), (), None, ())
    if fits:
        span_of(chosen)
    else:
        with pytest.raises(ValidationError, match="Size of hashkey has exceeded"):
            span_of(chosen)


RED = {"S": "red"}
TABLE, LOCAL_SOURCE = ReadSource(PLAYERS), ReadSource(PLAYERS, LOCAL)


def start(team: str = "red", nick: str = "ada") -> dict[str, Any]:
    return {"team": {"S": team}, "nick": {"S": nick}}


def within(chosen: KeyRange, key: dict[str, Any], *, backward: bool = False) -> str | None:
    """The error message for a start key, or None."""
    try:
        require_within(TABLE, chosen, span_of(chosen), key, backward=backward)
    except ValidationError as error:
        return error.message
    return None


def test_values_of_a_start_key_are_normalised_or_rejected() -> None:
    assert start_key_of({}) is None
    assert start_key_of({"ExclusiveStartKey": {"pos": {"N": "1e1"}}}) == {"pos": {"N": "10"}}
    with pytest.raises(ValidationError, match=r"^The provided starting key is invalid: "):
        start_key_of({"ExclusiveStartKey": {"pos": {}}})
    with pytest.raises(ValidationError, match=r"^The parameter cannot be converted to a numeric value"):
        start_key_of({"ExclusiveStartKey": {"pos": {"N": "x"}}})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "The provided starting key is invalid"),
        ({"N": "1"}, "does not match the schema"),
        ({"S": ""}, "cannot contain an empty string value. Key: nick"),
    ],
)
def test_each_key_attribute_must_be_present_and_of_its_type(value: Any, message: str) -> None:
    key = {"team": RED} if value is None else {"team": RED, "nick": value}
    with pytest.raises(ValidationError, match=message):
        require_key_parts(TABLE, ("team", "nick"), key)


def test_the_start_key_of_an_index_contains_a_key_of_the_table() -> None:
    require_table_key(LOCAL_SOURCE, {**start(), "pos": {"N": "1"}})
    with pytest.raises(ValidationError, match="The provided starting key is invalid"):
        require_table_key(LOCAL_SOURCE, {"team": RED, "pos": {"N": "1"}})


def test_a_start_key_must_be_in_the_partition_and_in_the_range() -> None:
    whole, above = KeyRange((RED,), ()), KeyRange((RED,), (), ">", ({"S": "bob"},))
    assert within(whole, start()) is None
    assert within(above, start(nick="eve")) is None
    assert within(whole, start(team="blue")) == (
        "The provided starting key is outside query boundaries based on provided conditions"
    )
    assert within(above, start(nick="ada")) == (
        "The provided starting key does not match the range key predicate"
    )


def test_a_query_for_one_row_cannot_be_continued() -> None:
    one = KeyRange((RED,), ({"S": "ada"},))
    assert within(one, start()) == "The query can return at most one row and cannot be restarted"
