"""Vectors: lists of numbers as packed 32-bit floats (little-endian, 4 bytes a number), and back as attribute values.

The table keeps the numbers of a vector as they were sent; only a vector index has this copy of lower precision.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from struct import error as StructError
from struct import pack, unpack
from typing import Any

from tablewright.dynamodb.values.attributes import AttributeValue, type_of

WIDTH = 4
"""Bytes of one number."""
LARGEST: float = unpack("<f", b"\xff\xff\x7f\x7f")[0]
"""The largest 32-bit float."""

_SHOWN_RANGE = "[-3.4028235E38, 3.4028235E38]"

_DEFINING = ("IndexName", "VectorAttribute", "SearchSchema", "Projection", "Dimensions", "DistanceFunction")


def vector_index_definition(index: Mapping[str, Any]) -> dict[str, Any]:
    """The members that define a vector index, from its description, which has more; as CreateTable takes them.

    >>> vector_index_definition({"IndexName": "by-text", "Dimensions": 3, "IndexStatus": "ACTIVE"})
    {'IndexName': 'by-text', 'Dimensions': 3}
    """
    return {name: index[name] for name in _DEFINING if index.get(name) is not None}


LEAST_METERED = 1024
METERED_PER_DIMENSION = 17.6
"""AWS's own figure varies between equal searches; this is its lower value."""


def search_bytes(dimensions: int, returned: float) -> float:
    """The VectorSearchRequestBytes of a search that returns items of this size, without their vectors.

    >>> round(search_bytes(384, 2048), 1), search_bytes(3, 10)
    (8806.4, 1024.0)
    """
    return max(float(LEAST_METERED), METERED_PER_DIMENSION * dimensions + returned)


def write_bytes(*sizes: float) -> float:
    """The VectorWriteRequestBytes of a change of one row: its larger size, before or after.

    >>> write_bytes(100), write_bytes(1500, 1600)
    (1024.0, 1600.0)
    """
    return float(max(LEAST_METERED, *sizes))


class NotAVector(ValueError):
    """A value that is not a vector of the required size; the message is AWS's, without the name of the index."""


def packed(value: AttributeValue, dimensions: int, name: str) -> bytes:
    """The packed numbers of an attribute value; raises NotAVector unless it is a list of so many 32-bit floats.

    >>> packed({"L": [{"N": "1"}, {"N": "0.1"}]}, 2, "v").hex()
    '0000803fcdcccc3d'
    >>> packed({"L": [{"N": "1"}]}, 2, "v")
    Traceback (most recent call last):
    tablewright.dynamodb.values.vectors.NotAVector: Invalid size for parameter v, Expected: 2, Actual: 1
    """
    elements = value.get("L")
    if elements is None:
        raise NotAVector(f"Invalid type for parameter {name}, Expected: 32-bit floating point number list")
    if len(elements) != dimensions:
        raise NotAVector(
            f"Invalid size for parameter {name}, Expected: {dimensions}, Actual: {len(elements)}"
        )
    try:
        return pack_numbers([element["N"] for element in elements])
    except (KeyError, OverflowError):
        raise _wrong_element(elements, name) from None


def pack_numbers(texts: Sequence[str]) -> bytes:
    """The packed form of canonical numbers; raises OverflowError for one that is too large for a 32-bit float."""
    try:
        return pack(f"<{len(texts)}f", *map(float, texts))
    except StructError as error:
        raise OverflowError(str(error)) from None


def _wrong_element(elements: Sequence[AttributeValue], name: str) -> NotAVector:
    for position, element in enumerate(elements):
        place = f"{name}[{position}]"
        if "N" not in element:
            return NotAVector(
                f"Invalid type for parameter {place}, Expected: 32-bit floating point number, "
                f"Actual: {type_of(element)}."
            )
        try:
            pack_numbers([element["N"]])
        except OverflowError:
            return NotAVector(
                f"Invalid value for parameter {place}, Value: {element['N']} is outside valid range "
                f"{_SHOWN_RANGE}."
            )
    raise AssertionError("every element is a 32-bit float")


def unpacked(body: bytes) -> tuple[float, ...]:
    """The numbers of a packed vector.

    >>> unpacked(bytes.fromhex("0000803f000000c0"))
    (1.0, -2.0)
    """
    return unpack(f"<{len(body) // WIDTH}f", body)


def as_attribute(body: bytes) -> AttributeValue:
    """A packed vector as an attribute value: each number is the shortest text that names the 32-bit float.

    >>> as_attribute(packed({"L": [{"N": "1"}, {"N": "0.1"}, {"N": "16777217"}]}, 3, "v"))
    {'L': [{'N': '1.0'}, {'N': '0.1'}, {'N': '16777216.0'}]}
    """
    return {"L": [{"N": _shortest(number)} for number in unpacked(body)]}


def _shortest(value: float) -> str:
    text = next(
        filter(lambda digits: single(float(digits)) == value, (f"{value:.{n}g}" for n in range(6, 10)))
    )
    if "e" in text:
        text = f"{Decimal(text):f}"
    return text if "." in text else f"{text}.0"


def single(value: float) -> float:
    """The nearest 32-bit float; a value that is out of range becomes the largest of its sign.

    >>> single(0.4), single(-1e300) == -LARGEST
    (0.4000000059604645, True)
    """
    if not -LARGEST <= value <= LARGEST:
        return LARGEST if value > 0 else -LARGEST
    return float(unpack("<f", pack("<f", value))[0])
