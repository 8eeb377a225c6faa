"""Ion limits: long numbers and long values are rejected, and digits in strings and blobs are not numbers."""

from io import BytesIO

import pytest

from tablewright.engine.core.buckets.ion_limits import (
    LONGEST_NUMBER,
    LONGEST_VALUE,
    IonError,
    checked_pieces,
)

MARKER = b"\xe0\x01\x00\xea"
DIGITS = b"1" * (LONGEST_NUMBER + 1)
LONG = b"1" * 600_000


def check(content: bytes) -> bytes:
    """The content, if it is within the limits."""
    return b"".join(checked_pieces(BytesIO(content)))


def varuint(number: int) -> bytes:
    """A length, as binary Ion writes it."""
    digits = [number & 0x7F | 0x80]
    while number := number >> 7:
        digits.insert(0, number & 0x7F)
    return bytes(digits)


def binary(kind: int, content: bytes) -> bytes:
    """A value of binary Ion."""
    return bytes([kind << 4 | 0x0E]) + varuint(len(content)) + content


@pytest.mark.parametrize(
    "text",
    [
        b'{a:"' + LONG + b'"}',
        b'{a:"\\"' + LONG + b'"}',
        b"{a:'''it''s " + LONG + b"'''}",
        b"{'" + LONG + b"':1}",
        b"{a:{{" + LONG + b"}}}",
        b'{a:{{ "' + LONG + b'" }}}',
        b"// " + LONG + b"\n1",
        b"/* * " + LONG + b" */ 1",
        b"'' \"" + LONG + b'"',
        b"'a''b' \"" + LONG + b'"',
        b'(1 / 2) "' + LONG + b'"',
        b"1 " * 500_000,
        MARKER + binary(8, LONG),
        MARKER + binary(10, LONG),
        MARKER + binary(11, binary(8, LONG) + b"\x11\x0f\x21\x07"),
        MARKER + binary(13, b"\x84" + binary(8, LONG) + b"\x85\x21\x07"),
        MARKER + binary(14, b"\x81\x84" + binary(8, LONG)) + MARKER + b"\x11",
    ],
)
def test_long_strings_blobs_and_comments_pass(text: bytes) -> None:
    assert check(text) == text


@pytest.mark.parametrize(
    "content",
    [
        DIGITS,
        b"{a:" + DIGITS + b"}",
        b"{a:-0x" + b"f" * (LONGEST_NUMBER + 1) + b"}",
        b" " * (256 * 1024 + 2) + b"0x" + b"f" * 600_000,
        b'{a:"",b:' + LONG + b".}",
        b"'a''b' " + LONG,
        b"''''''" + LONG,
        b"(1 / " + LONG + b")",
        MARKER + binary(2, LONG),
        MARKER + binary(5, LONG),
        MARKER + binary(11, binary(3, LONG)),
        MARKER + binary(13, b"\x84" + binary(5, LONG)),
        MARKER + binary(14, b"\x81\x84" + binary(6, LONG)),
        MARKER + binary(11, b"\x11\x0f" + binary(13, b"\x85" + binary(14, b"\x81\x84" + binary(2, LONG)))),
    ],
)
def test_long_numbers_are_rejected(content: bytes) -> None:
    with pytest.raises(IonError, match="a number has more than 4096"):
        check(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'"' + b"a" * (LONGEST_VALUE + 300_000), "a value has more than"),
        (MARKER + b"\x8e" + varuint(1 << 31), "a value has more than"),
        (MARKER + b"\x8e" + varuint(5000) + b"abc", "the file ends inside a value"),
        (MARKER + b"\x8e\x01", "the length of a value is not complete"),
        (MARKER + b"\x8e" + b"\x01" * 20, "the length of a value is not complete"),
        (MARKER + binary(11, b"\xbe" + varuint(1 << 20) + b"a" * 5000), "a value is longer than the value"),
        (MARKER + binary(11, b"\x8e"), "a value is not complete"),
        (MARKER + binary(13, b"\x01" * 9), "a length or a symbol has too many digits"),
        (MARKER + binary(14, b"\x85\x84"), "a value is longer than the value"),
        (MARKER + binary(14, b"\x81\x84\x11\x11"), "annotations are not followed by one value"),
        (MARKER + binary(14, b"\x81\x84\x01\x00"), "annotations are not followed by one value"),
        (b"\xe0\x01\x01\xea", "not UTF-8"),
        (MARKER + b"\xe0\x01\x01\xea", "only version 1.0 of Ion"),
    ],
)
def test_long_and_incomplete_values_are_rejected(content: bytes, message: str) -> None:
    with pytest.raises(IonError, match=message):
        check(content)


def test_deep_binary_is_rejected() -> None:
    content = b"x" * 5000
    for _ in range(200):
        content = binary(11, content)
    with pytest.raises(IonError, match="nested too deeply"):
        check(MARKER + content)


def test_padding_that_ends_outside_of_its_list_is_rejected() -> None:
    """amazon.ion would read the values behind the list as its members, or loop forever."""
    with pytest.raises(IonError, match="a value is longer than the value that contains it"):
        check(MARKER + b"\xb3\x11\x0a\x27" + b"\x11" * 20)
    assert check(MARKER + b"\xb4\x11\x02\x27\x27")


@pytest.mark.parametrize(
    "content",
    [
        b'{"a\xddb": null}',
        b'"\xff"',
        b"{'\xe2\x82': 1}",
        MARKER + b"\x82\xc3\x28",
        MARKER + binary(11, b"\x81\xff"),
    ],
)
def test_text_that_is_not_utf_8_is_rejected(content: bytes) -> None:
    """A field name that is not UTF-8 would crash the process."""
    with pytest.raises(IonError, match="not UTF-8"):
        check(content)


def test_utf_8_may_be_split_between_chunks() -> None:
    content = b'"' + "é".encode() * 200_000 + b'"'
    assert check(content) == content
