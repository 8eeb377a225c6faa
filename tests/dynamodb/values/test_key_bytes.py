"""Key bytes sort exactly as DynamoDB sorts."""

from base64 import b64encode
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.values.key_bytes import HASH_SPACE, after, hash_of, part, partition, segment_start

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
binaries = st.binary(max_size=6) | st.text("\x00\x01\xff", max_size=4).map(
    lambda text: text.encode("latin-1")
)


@given(texts, texts)
def test_text_sorts_by_its_utf8_bytes(one: str, other: str) -> None:
    assert (part({"S": one}) < part({"S": other})) == (one.encode() < other.encode())


@given(binaries, binaries)
def test_binary_sorts_unsigned(one: bytes, other: bytes) -> None:
    assert (_binary(one) < _binary(other)) == (one < other)


@given(st.integers(-(10**30), 10**30), st.integers(-(10**30), 10**30))
def test_numbers_sort_by_value(one: int, other: int) -> None:
    assert (part({"N": str(one)}) < part({"N": str(other)})) == (one < other)


@given(st.lists(binaries, min_size=2, max_size=2), st.lists(binaries, min_size=2, max_size=2))
def test_several_parts_sort_as_tuples(one: list[bytes], other: list[bytes]) -> None:
    joined = [b"".join(map(_binary, parts)) for parts in (one, other)]
    assert (joined[0] < joined[1]) == (tuple(one) < tuple(other))
    assert (joined[0] == joined[1]) == (one == other)


@given(binaries, binaries)
def test_an_open_part_is_a_prefix_of_exactly_what_begins_with_it(one: bytes, other: bytes) -> None:
    prefix = part({"B": b64encode(one).decode()}, closed=False)
    assert _binary(other).startswith(prefix) == other.startswith(one)


@given(st.lists(texts, min_size=2, max_size=2), st.lists(texts, min_size=2, max_size=2))
def test_partitions_of_several_values_never_collide(one: list[str], other: list[str]) -> None:
    same = partition([{"S": text} for text in one]) == partition([{"S": text} for text in other])
    assert same == (one == other)


@given(texts, st.integers(1, 1000))
def test_every_key_falls_in_exactly_one_segment(text: str, total: int) -> None:
    key = partition([{"S": text}])
    segment = hash_of(key) * total // HASH_SPACE
    low = segment_start(segment, total)
    high = segment_start(segment + 1, total) if segment + 1 < total else None
    assert low <= key
    assert high is None or key < high


@given(st.binary(max_size=4), st.binary(max_size=6), st.booleans())
def test_after_is_above_everything_that_starts_with_the_prefix(
    prefix: bytes, key: bytes, is_prefixed: bool
) -> None:
    key = prefix + key if is_prefixed else key
    bound = after(prefix)
    if bound is not None:
        assert (prefix <= key < bound) == key.startswith(prefix)
    else:
        assert key.startswith(prefix) or key < prefix


def test_decimal_keys() -> None:
    ordered = ["-1e125", "-12.5", "-12", "-1e-130", "0", "1e-130", "0.5", "12", "12.5", "100", "1e125"]
    keys = [part({"N": format(Decimal(text), "f")}) for text in ordered]
    assert keys == sorted(keys)


def _binary(raw: bytes) -> bytes:
    return part({"B": b64encode(raw).decode()})
