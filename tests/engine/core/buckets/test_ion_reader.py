"""Ion reader: text and binary Ion as attribute values, other notations, and hostile files."""

import contextlib
import sys
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from amazon.ion import simpleion
from amazon.ion.core import IonType
from amazon.ion.simple_types import IonPyList
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.core.buckets.ion_limits import DEEPEST, IonError
from tablewright.engine.core.buckets.ion_reader import read_values
from tablewright.errors import ValidationError

DIGITS = "12345678901234567890123456789012345678"


def read(content: bytes | str) -> list[dict[str, Any]]:
    """All values of a file."""
    return list(read_values(BytesIO(content.encode() if isinstance(content, str) else content)))


# The notations in Ion's specification for values that an item can have.
NOTATIONS: list[tuple[str, list[dict[str, Any]]]] = [
    ("", []),
    ("$ion_1_0 $ion_1_0", []),
    ("1 2", [{"N": "1"}, {"N": "2"}]),
    ("-1_000.5 0x1F -0b101 2D-3 12.", [{"N": n} for n in ("-1000.5", "31", "-5", "0.002", "12")]),
    ("1e2 1.5e0", [{"N": "100.0"}, {"N": "1.5"}]),
    (
        f"{DIGITS}. -{DIGITS}d87 0.{DIGITS}",
        [{"N": n} for n in (DIGITS, f"-1.{DIGITS[1:]}E+124", f"0.{DIGITS}")],
    ),
    ("null null.string true false", [{"NULL": True}, {"NULL": True}, {"BOOL": True}, {"BOOL": False}]),
    (r'"a\tb\x41\u00e9\U0001F600\/" "\ud83d\ude00"', [{"S": "a\tbAé😀/"}, {"S": "😀"}]),
    ("'''one ''' /* between */ '''two'''", [{"S": "one two"}]),
    ("'''it''s''' '''1 \"2''' //' \n3", [{"S": "it''s1 \"2"}, {"N": "3"}]),
    ('"new\\\nline"', [{"S": "newline"}]),
    ("{{ aGVs bG8= }} {{}}", [{"B": "aGVsbG8="}, {"B": ""}]),
    ("[1, [], {},]", [{"L": [{"N": "1"}, {"L": []}, {"M": {}}]}]),
    (
        "{a:1, 'b c':2, \"d\":3, '''e''':4}",
        [{"M": {k: {"N": n} for k, n in zip(("a", "b c", "d", "e"), "1234", strict=True)}}],
    ),
    ("{a:1, a:2}", [{"M": {"a": {"N": "2"}}}]),
    ("$dynamodb_NS::[1.,2d0] $dynamodb_BS::[{{YQ==}}]", [{"NS": ["1", "2"]}, {"BS": ["YQ=="]}]),
    ("any::'other one'::\"x\" // and a comment", [{"S": "x"}]),
    (
        "a::1 a::1.5 a::true a::{{YQ==}} a::{b:2}",
        [{"N": "1"}, {"N": "1.5"}, {"BOOL": True}, {"B": "YQ=="}, {"M": {"b": {"N": "2"}}}],
    ),
]


@pytest.mark.parametrize(("text", "values"), NOTATIONS)
def test_notations(text: str, values: list[dict[str, Any]]) -> None:
    assert read(text) == values


def test_binary_ion() -> None:
    item = {
        "Id": Decimal(103),
        "Big": Decimal(DIGITS),
        "Tags": IonPyList.from_value(IonType.LIST, ["a", "b"], ("$dynamodb_SS",)),
        "Raw": b"abc",
        "Rest": [True, None, {"é": "x" * 5000}],
    }
    content = simpleion.dumps([{"Item": item}] * 2, binary=True, sequence_as_stream=True)
    assert (
        read(content)
        == [
            {
                "M": {
                    "Item": {
                        "M": {
                            "Id": {"N": "103"},
                            "Big": {"N": DIGITS},
                            "Tags": {"SS": ["a", "b"]},
                            "Raw": {"B": "YWJj"},
                            "Rest": {"L": [{"BOOL": True}, {"NULL": True}, {"M": {"é": {"S": "x" * 5000}}}]},
                        }
                    }
                }
            }
        ]
        * 2
    )


NOT_ITEMS = [
    "symbol",
    "'symbol'",
    "(1 2)",
    "2020-01-01T",
    "{a:1 b:2}",
    "{1:2}",
    "[1 2]",
    "nan",
    "+inf",
    "1e1000000000",
    "1d1000000000",
    "12abc",
    "01",
    '{{"clob"}}',
    "{{YQ}}",
    '"\\q"',
    '"\\ud83d"',
    "$dynamodb_SS::[1]",
    "]",
    "$ion_2_0 1",
    "{$99999999:1}",
    b'"\xff\xfe"',
    b"\x1f\x8b\x08\0",
    "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2),
    "[" * 1_000_000,
    "{a:" * 1_000_000,
    "a::" * 100_000 + "1",
]


@pytest.mark.parametrize("content", NOT_ITEMS)
def test_values_that_no_item_can_have_are_errors(content: bytes | str) -> None:
    with pytest.raises(IonError):
        read(content)


@pytest.mark.parametrize("rest", ["{a:1", "{a:", "{a", "[1,", '"x', "'''x", "{{YW", "{a:{b:["])
def test_a_truncated_file_gives_the_values_before_its_end(rest: str) -> None:
    values = read_values(BytesIO(f"1 {rest}".encode()))
    assert next(values) == {"N": "1"}
    with pytest.raises(IonError):
        next(values)


@pytest.mark.parametrize("intact", [b"{a:1}", b"{a:1} ", b"{a:1} {b:12", b'{a:1} {b:"12'])
def test_an_error_of_the_file_is_raised_after_the_values_before_it(intact: bytes) -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() == len(intact):
                raise EOFError("the compressed file is truncated")
            return super().read(size)

    values = read_values(Broken(intact))
    assert next(values) == {"M": {"a": {"N": "1"}}}
    with pytest.raises(EOFError, match="the compressed file is truncated"):
        next(values)


@given(st.text(st.sampled_from("{}[]()'\":,.$_ \\/*\n-0x1deE" + "aT"), max_size=60))
def test_any_text_is_read_or_is_an_ion_error(text: str) -> None:
    with contextlib.suppress(IonError):
        read(text)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_are_an_ion_error(content: bytes) -> None:
    with contextlib.suppress(IonError):
        read(b"\xe0\x01\x00\xea" + content)


def test_without_amazon_ion_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amazon.ion", None)
    with pytest.raises(ValidationError, match=r"pip install 'tablewright\[ion\]'"):
        read("1")
