"""Key bytes: every key is one byte string, and byte strings sort exactly as DynamoDB sorts keys.

    key        = partition part*                 of a table row or an index row
    partition  = crc32(4) length(2) part...      the hash of the hash attributes, then their bytes
    part       = bytes with 00 -> 00 FF, then 00 01

The hash comes first, so a scan reads partitions in hash order (as on AWS), and a parallel scan divides the hash space
into equal segments. Inside a partition, parts sort by value: text and binary as unsigned bytes, numbers by
`number_key`. The terminator sorts below every continuation, so "a" comes before "a\\0" and before "ab".

An index's key is its own parts followed by the base table's key, which makes it unique and gives equal index keys
a stable order.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from struct import Struct
from zlib import crc32

from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.dynamodb.values.numbers import number_key, number_of_key

HASH_SPACE = 1 << 32

_END = b"\x00\x01"
_HEAD = Struct(">IH").pack


def key_bytes(value: AttributeValue) -> bytes:
    """The bytes of one key attribute (S, N or B), which sort as the values do."""
    ((kind, content),) = value.items()
    return content_bytes(kind, content)


def content_bytes(kind: str, content: str) -> bytes:
    """The bytes of one key attribute, from its type and its content."""
    if kind == "S":
        return content.encode()
    return number_key(content) if kind == "N" else b64decode(content)


def part(value: AttributeValue, *, closed: bool = True) -> bytes:
    """One sort part; with `closed=False` it is a prefix of every value that begins with it."""
    body = key_bytes(value)
    return closed_part(body) if closed else body.replace(b"\x00", b"\x00\xff")


def closed_part(body: bytes) -> bytes:
    """One sort part, from the bytes of its attribute."""
    return (body.replace(b"\x00", b"\x00\xff") if b"\x00" in body else body) + _END


def partition(values: Sequence[AttributeValue]) -> bytes:
    """The leading bytes shared by all rows of one partition."""
    if len(values) == 1:
        return partition_head(key_bytes(values[0]))
    return partition_head(b"".join(map(part, values)))


def partition_head(body: bytes) -> bytes:
    """The leading bytes of a partition, from those of its hash attributes."""
    return _HEAD(crc32(body), len(body)) + body


def hash_of(key: bytes) -> int:
    """The hash at the start of a key: it determines the segment of a scan."""
    return int.from_bytes(key[:4], "big")


def segment_start(segment: int, total: int) -> bytes:
    """The first possible key of one of `total` equal segments of the hash space; `segment` counts from 0."""
    return (-(-segment * HASH_SPACE // total)).to_bytes(4, "big")


def after(prefix: bytes) -> bytes | None:
    """The lowest byte string above all that start with `prefix`; None when there is none.

    >>> after(b"ab"), after(b"a\\xff"), after(b"\\xff")
    (b'ac', b'b', None)
    """
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return None
    return stripped[:-1] + bytes([stripped[-1] + 1])


def partition_of(key: bytes) -> bytes:
    """The leading bytes of a key that it shares with its whole partition."""
    return key[: 6 + int.from_bytes(key[4:6], "big")]


def key_values(key: bytes, hash_types: str, range_types: str) -> list[AttributeValue]:
    """The attribute values of a table's key bytes, for messages; a changed bit can make them unreadable (ValueError).

    >>> key_values(partition([{"S": "ann"}]) + part({"N": "-7"}), "S", "N")
    [{'S': 'ann'}, {'N': '-7'}]
    """
    end = len(partition_of(key))
    parts = [key[6:end]] if len(hash_types) == 1 else _open_parts(key[6:end])
    parts += _open_parts(key[end:])
    try:
        return [_value(kind, content) for kind, content in zip(hash_types + range_types, parts, strict=True)]
    except IndexError as error:
        raise ValueError("a number without digits") from error


def _open_parts(closed: bytes) -> list[bytes]:
    return [part.replace(b"\x00\xff", b"\x00") for part in closed.split(_END)[:-1]]


def _value(kind: str, content: bytes) -> AttributeValue:
    if kind == "S":
        return {"S": content.decode()}
    return {"N": number_of_key(content)} if kind == "N" else {"B": b64encode(content).decode()}
