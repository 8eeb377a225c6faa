"""Ion: what is written is read back, other spellings are understood, and nothing breaks the reader."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.backups.ion import DEEPEST, IonError, Unfinished, read_values, write_item
from tablewright.values.attributes import admit_item, equal
from tests.values.strategies import items


@given(items())
def test_what_is_written_is_read_back(item: dict[str, Any]) -> None:
    admitted, _ = admit_item(item)
    (read,) = read_values(write_item(admitted))
    assert equal({"M": admit_item(read["M"])[0]}, {"M": admitted})


# As Ion's specification has them, and the values that items can hold of them.
SPELLINGS: list[tuple[str, list[dict[str, Any]]]] = [
    ("", []),
    ("$ion_1_0 $ion_1_0", []),
    ("1 2", [{"N": "1"}, {"N": "2"}]),
    ("-1_000.5 0x1F -0b101 1e2 2D-3 12.", [{"N": n} for n in ("-1000.5", "31", "-5", "1e2", "2e-3", "12.")]),
    ("null null.string true false", [{"NULL": True}, {"NULL": True}, {"BOOL": True}, {"BOOL": False}]),
    (r'"a\tb\x41\u00e9\U0001F600\/" "\ud83d\ude00"', [{"S": "a\tbAé😀/"}, {"S": "😀"}]),
    ("'''one ''' /* between */ '''two'''", [{"S": "one two"}]),
    ('"new\\\nline"', [{"S": "newline"}]),
    ("{{ aGVs bG8= }} {{}}", [{"B": "aGVsbG8="}, {"B": ""}]),
    ("[1, [], {},]", [{"L": [{"N": "1"}, {"L": []}, {"M": {}}]}]),
    (
        "{a:1, 'b c':2, \"d\":3, '''e''':4}",
        [{"M": {k: {"N": n} for k, n in zip(("a", "b c", "d", "e"), "1234", strict=True)}}],
    ),
    ("$dynamodb_NS::[1.,2d0] $dynamodb_BS::[{{YQ==}}]", [{"NS": ["1.", "2e0"]}, {"BS": ["YQ=="]}]),
    ("any::'other one'::\"x\" // and a comment", [{"S": "x"}]),
]


@pytest.mark.parametrize(("text", "values"), SPELLINGS)
def test_spellings(text: str, values: list[dict[str, Any]]) -> None:
    assert read_values(text) == values


@pytest.mark.parametrize(
    "text", ["{a:1", "{a:", "{a", "[1,", '"x', "'''x", "{{YW", "{a:{b:[", "annotation::"]
)
def test_what_goes_on_is_unfinished(text: str) -> None:
    with pytest.raises(Unfinished):
        read_values(text)


UNFIT = [
    "symbol",
    "'symbol'",
    "(1 2)",
    "2020-01-01T",
    "{a:1 b:2}",
    "{1:2}",
    "[1 2]",
    "nan",
    "+inf",
    "12abc",
    "01",
    '{{"clob"}}',
    "{{YQ}}",
    '"\\q"',
    '"\\ud83d"',
    "$dynamodb_SS::[1]",
    "]",
    "[" * (DEEPEST + 2),
]


@pytest.mark.parametrize("text", UNFIT)
def test_what_no_item_holds_is_refused(text: str) -> None:
    with pytest.raises(IonError):
        read_values(text)


@given(st.text(st.sampled_from("{}[]()'\":,.$_ \\/*\n-0x1deE" + "aT"), max_size=60))
def test_nothing_breaks_the_reader(text: str) -> None:
    with contextlib.suppress(IonError):
        read_values(text)
