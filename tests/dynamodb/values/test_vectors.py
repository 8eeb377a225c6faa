"""Vectors: packing, AWS's messages about wrong values, and the shortest text of a 32-bit float."""

import random
import struct
from typing import Any

import pytest

from tablewright.dynamodb.values.vectors import (
    LARGEST,
    NotAVector,
    as_attribute,
    pack_numbers,
    packed,
    single,
    unpacked,
)


def test_packed_numbers_are_little_endian_32_bit_floats() -> None:
    assert packed({"L": [{"N": "1.5"}, {"N": "-2"}]}, 2, "v") == struct.pack("<2f", 1.5, -2)
    assert unpacked(struct.pack("<2f", 1.5, -2)) == (1.5, -2.0)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"S": "x"}, "Invalid type for parameter v, Expected: 32-bit floating point number list"),
        ({"NS": ["1", "2"]}, "Invalid type for parameter v, Expected: 32-bit floating point number list"),
        ({"L": [{"N": "1"}]}, "Invalid size for parameter v, Expected: 2, Actual: 1"),
        ({"L": []}, "Invalid size for parameter v, Expected: 2, Actual: 0"),
        (
            {"L": [{"N": "1"}, {"S": "x"}]},
            "Invalid type for parameter v[1], Expected: 32-bit floating point number, Actual: S.",
        ),
        (
            {"L": [{"N": "340282360000000000000000000000000000000"}, {"N": "1"}]},
            "Invalid value for parameter v[0], Value: 340282360000000000000000000000000000000 is outside valid "
            "range [-3.4028235E38, 3.4028235E38].",
        ),
    ],
)
def test_a_value_that_is_no_vector_is_named(value: dict[str, Any], message: str) -> None:
    with pytest.raises(NotAVector) as caught:
        packed(value, 2, "v")
    assert str(caught.value) == message


def test_every_32_bit_float_is_shown_by_a_text_that_names_it() -> None:
    generator = random.Random(7)
    floats = [struct.unpack("<f", generator.randbytes(4))[0] for _ in range(2000)]
    numbers = [each for each in floats if abs(each) <= LARGEST] + [0.0, LARGEST, 1e-45, 16777216.0]
    body = struct.pack(f"<{len(numbers)}f", *numbers)
    texts = [element["N"] for element in as_attribute(body)["L"]]
    assert pack_numbers(texts) == struct.pack(f"<{len(numbers)}f", *(each or 0.0 for each in numbers))
    assert all("e" not in text and "." in text for text in texts)


def test_scores_are_rounded_to_32_bits_and_stay_finite() -> None:
    assert single(0.1) == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert single(1e300) == LARGEST
    assert single(-1e300) == -LARGEST
