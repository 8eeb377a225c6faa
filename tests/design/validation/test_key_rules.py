"""Rules for keys: templates, sparse keys, shared attributes, primary keys and copies."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, NegativeInt, PositiveInt

from tablewright import Copy, Entity, Index, Keys, Sparse, Table, fields
from tablewright.design.validation.key_rules import can_be_key
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "shared"),
        Index("GSI2", "GSI2PK", "shared"),
        Index("inverted", "SK", "PK"),
        Index("by-city", "city"),
        Index("by-type", "type", "createdAt"),
    ],
)
numbered = Table("numbered", key=("PK", "SK"), types={"SK": "N"})


def indexed(**indexes: Any) -> Callable[[], type[Entity]]:
    annotations = {"a": str, "b": str, "is_open": bool, "city": str, "created_at": fields.Timestamp}
    return lambda: define_entity(main, annotations, keys=Keys(("A#{a}", "B"), indexes))


def keyed(annotations: dict[str, Any], sort: str = "{b}", **members: Any) -> Callable[[], type[Entity]]:
    keys = Keys(primary=("A#{a}", sort))
    return lambda: define_entity(main, {"a": str, **annotations}, keys=keys, **members)


def copied(primary: tuple[str, str], b: Any = list[str]) -> Callable[[], type[Entity]]:
    copy = Copy(each="b", name="one", primary=primary)
    return keyed({"b": b}, "B", each=copy)


def ordered(kind: Any, sort: str) -> Callable[[], type[Entity]]:
    """An entity whose sort key is of type N."""
    keys = Keys(primary=("A#{a}", sort))
    return lambda: define_entity(numbered, {"a": str, "b": kind}, keys=keys)


class Signed(Enum):
    DOWN = -1
    UP = 1


SIGNED = {
    "ge": Annotated[int, Field(ge=-5)],
    "gt": Annotated[int, Field(gt=-2)],
    "optional": Annotated[int, Field(ge=-5)] | None,
    "a negative number": NegativeInt,
    "le": Annotated[int, Field(le=-1)],
    "an enum": Signed,
    "a literal": Literal[-1, 0, 1],
}
UNSIGNED = {
    "plain": int,
    "ge": Annotated[int, Field(ge=0)],
    "gt": Annotated[int, Field(gt=-1)],
    "positive": PositiveInt,
    "an upper limit": Annotated[int, Field(le=0)],
    "a literal": Literal[0, 1],
}


@pytest.mark.parametrize("kind", SIGNED.values(), ids=SIGNED.keys())
def test_a_width_is_rejected_for_numbers_declared_negative(kind: Any) -> None:
    with pytest.raises(
        DesignError, match=r"formats b, a .*, as \{b:04\} .*; write \{b:\+05\}, which has negative numbers"
    ):
        define_entity(
            main, {"a": str, "b": kind}, keys=Keys(primary=("A#{a}", "B"), GSI1=("G#{a}", "{b:04}"))
        )


@pytest.mark.parametrize("kind", UNSIGNED.values(), ids=UNSIGNED.keys())
def test_a_width_is_accepted_for_other_numbers(kind: Any) -> None:
    keyed({"b": kind}, "{b:04}")()


INVALID = {
    "two templates for one attribute": (
        indexed(GSI1=("G#{a}", "X#{a}"), GSI2=("H#{a}", "Y#{b}")),
        r'Thing writes shared as "X#\{a\}" \(GSI1\) and as "Y#\{b\}" \(GSI2\); .* the same template',
    ),
    "an index with another template for a primary key attribute": (
        indexed(inverted=("X#{b}", "A#{a}")),
        r'Thing writes SK as "B" \(primary\) and as "X#\{b\}" \(inverted\)',
    ),
    "two templates in a copy": (
        lambda: define_entity(
            main,
            {"a": str, "b": str},
            keys=Keys(primary=("A#{a}", "B")),
            twin=Copy(primary=("T#{a}", "B"), GSI1=("G#{a}", "X#{a}"), GSI2=("H#{a}", "Y#{b}")),
        ),
        r"Thing\.twin writes shared as",
    ),
    "a key attribute that stores another field": (
        indexed(**{"by-city": "{a}"}),
        r"Thing stores the field city as city, which is also the key .*; give the field another alias",
    ),
    "another template for the discriminator": (
        indexed(**{"by-type": ("OTHER", "{created_at}")}),
        r"Thing writes its type, 'THING', as type, which is also the key \"OTHER\" .* template \"THING\"",
    ),
    "a sparse key of attributes that every item has": (
        indexed(inverted=Sparse("B", "A#{a}", when="is_open")),
        "Thing has a Sparse key for inverted, but every item has SK, PK; give the index an attribute",
    ),
    "a sparse key of a field that is always stored": (
        indexed(**{"by-city": Sparse("{city}", when="is_open")}),
        r'but its attribute city is the field city, which is always stored; .* Sparse\(..., when="city"\)',
    ),
    "an unknown field": (indexed(GSI1=("G#{aa}", "X")), r"Thing has no field aa, .* needs; did you mean a\?"),
    "an optional primary key": (
        keyed({"b": str | None}),
        r'Thing uses b, which may be None, in the key "\{b\}" \(primary, SK\); a primary key always has a value',
    ),
    "a list in a key": (
        keyed({"b": list[str]}),
        r'Thing uses b, a list, in the key "\{b\}" \(primary, SK\); a key can contain strings',
    ),
    "a format for another type": (
        keyed({"b": str}, "{b:%Y}"),
        r"Thing formats b, a str, as \{b:%Y\} in the key .*; make b a Timestamp or a date, or remove the format",
    ),
    "text in a key of type N": (
        lambda: define_entity(numbered, {"a": str, "b": int}, keys=Keys(primary=("A#{a}", "B#{b}"))),
        r'Thing has the template "B#\{b\}" for SK, which is of type N; make the template one field',
    ),
    "a number with a width in a key of type N": (
        ordered(int, "{b:06}"),
        r"for SK, which is of type N; write \{b\}: DynamoDB sorts numbers by their value",
    ),
    "descending order in a key of type N": (
        ordered(int, "{b:06 desc}"),
        r"for SK, which is of type N; write \{b\}, and set descending = True in the pattern",
    ),
    "parts of a date with punctuation in a key of type N": (
        ordered(date, "{b:%Y-%m-%d}"),
        r"for SK, which is of type N; make the template one field",
    ),
    "a timestamp in a key of type N": (
        ordered(fields.Timestamp, "{b}"),
        r"Thing has the key SK of type N, but its value is b: datetime, which is stored as text; "
        r"remove SK from the types of the table: its text sorts by time; or write \{b:epoch_ms\}$",
    ),
    "a date in a key of type N": (
        ordered(date, "{b}"),
        r"; remove SK from the types of the table: its text sorts by time; or write \{b:%Y%m%d\}$",
    ),
    "a timestamp in its own attribute of type N": (
        lambda: define_entity(
            Table("timed", key=("PK", "b"), types={"b": "N"}),
            {"a": str, "b": fields.Timestamp},
            keys=Keys(primary=("A#{a}", "{b}")),
        ),
        r"remove b from the types of the table: its text sorts by time; or write \{b:epoch_ms\} in an attribute of",
    ),
    "text as a key of type N": (
        ordered(str, "{b}"),
        "which is stored as text; remove SK from the types of the table$",
    ),
    "a boolean in a key of type N": (ordered(bool, "{b}"), "stored as a boolean; use another field for SK$"),
    "a number in a key of type B": (
        lambda: define_entity(
            Table("bytes", key=("PK", "SK"), types={"SK": "B"}),
            {"a": str, "b": int},
            keys=Keys(primary=("A#{a}", "{b}")),
        ),
        r'the key SK of type B, .* which is stored as a number; declare Table\(\.\.\., types=\{"SK": "N"\}\)',
    ),
    "a number in its own attribute of type S": (
        lambda: define_entity(
            Table("points", key="PK", indexes=[Index("by-points", "team", "points")]),
            {"a": str, "team": str, "points": int},
            keys=Keys(primary="A#{a}"),
        ),
        r"Thing has the key points of type S, but its value is points: int, .* "
        r'declare Table\(\.\.\., types=\{"points": "N"\}\)',
    ),
    "a Decimal without a width": (
        keyed({"b": Decimal}),
        r'give it a width: \{b:012.2\}, or make the key a number: types=\{"SK": "N"\}$',
    ),
    "a float without a width beside text": (keyed({"b": float}, "B#{b}"), r"give it a width: \{b:012.2\}$"),
    "a float in shards": (keyed({"b": float}, "{b:shard(4)}"), r"give it a width"),
    "a boolean": (keyed({"b": bool}), r"use a string such as 'open', or Sparse\(..., when=...\)"),
    "a timedelta in a key of type N": (ordered(timedelta, "{b}"), "store a number of seconds as an int"),
    "a timedelta": (keyed({"b": timedelta}), "store a number of seconds as an int"),
    "text in descending order": (
        keyed({"b": str}, "{b:desc}"),
        r"text has no descending format: write \{b\}, and set descending = True in the pattern, or remove",
    ),
    "a number in descending order without a width": (
        keyed({"b": int}, "{b:desc}"),
        r"give it a width: \{b:010 desc\}",
    ),
    "text with a width": (keyed({"b": str}, "{b:06}"), "make b an int, or remove the format"),
    "negative numbers in descending order": (
        keyed({"b": Annotated[Decimal, Field(ge=Decimal(-5))]}, "{b:08.2 desc}"),
        r"write \{b:\+09.2 desc\}, which has negative numbers",
    ),
    "a primary key that is set at every write": (
        keyed({"b": fields.Timestamp}, b=fields.touched()),
        r'Thing uses b, which is set at every write, in its primary key "A#\{a\}" / "\{b\}"; .* index b',
    ),
    "a counter in the primary key": (
        keyed({"b": Annotated[int, fields.Counter()]}, "{b:06}"),
        r"Thing uses b, which is a Counter, in its primary key .*; use fields that never change",
    ),
    "a version in the primary key": (
        keyed({"b": Annotated[int, fields.Version()]}, "{b:06}"),
        r"Thing uses b, which is a Version",
    ),
    "copies for each character": (
        copied(("C#{one}", "A#{a}"), b=str),
        r"Thing\.each is a copy for each element of b, which is a str; make it a list",
    ),
    "copies without the element in their key": (
        copied(("C", "A#{a}")),
        r'Thing\.each is a copy for each element of b, but its key "C" / "A#\{a\}" .*; put \{one\} into primary',
    ),
    "copies with a part of the element in their key": (
        copied(("C#{one:shard(9)}", "A#{a}")),
        r"does not contain the element, so all copies would have the same key",
    ),
}


@pytest.mark.parametrize(("define", "message"), INVALID.values(), ids=INVALID.keys())
def test_invalid_keys_are_rejected(define: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        define()


VALID = {
    "one template for a shared attribute": indexed(GSI1=("G#{a}", "X#{a}"), GSI2=("H#{a}", "X#{a}")),
    "a number with a sign": keyed({"b": Annotated[int, Field(ge=-5)]}, "{b:+05 desc}"),
    "a Decimal of fixed width": keyed({"b": Decimal}, "{b:010.2}#{a}"),
    "a float in descending order": keyed({"b": float}, "{b:010.2 desc}"),
    "a timestamp in descending order": keyed({"b": fields.Timestamp}, "{b:desc}#{a}"),
    "copies of numbers": copied(("C#{one:06 desc}", "A#{a}"), b=list[int]),
    "an int in a key of type N": ordered(int, "{b}"),
    "a Decimal in a key of type N": ordered(Decimal, "{b}"),
    "a float in a key of type N": ordered(float, "{b}"),
    "an enum of numbers in a key of type N": ordered(Signed, "{b}"),
    "a literal in a key of type N": ordered(Literal[1, 2], "{b}"),
    "seconds in a key of type N": ordered(fields.Timestamp, "{b:epoch}"),
    "milliseconds in a key of type N": ordered(fields.Timestamp, "{b:epoch_ms}"),
    "digits of a date in a key of type N": ordered(date, "{b:%Y%m%d}"),
    "an inverted index": indexed(inverted=("B", "A#{a}")),
    "a sparse key of the field itself": indexed(**{"by-city": Sparse("{city}", when="city")}),
    "copies of a tuple": copied(("C#{one}", "A#{a}"), b=tuple[str, ...] | None),
}


@pytest.mark.parametrize("define", VALID.values(), ids=VALID.keys())
def test_valid_keys_are_accepted(define: Callable[[], Any]) -> None:
    define()


@pytest.mark.parametrize(
    ("annotation", "bare", "expected"),
    [
        (str, False, True),
        (bool, False, False),
        (bytes, False, False),
        (bytes, True, True),
        (float, True, False),
        (Signed, False, True),
        (Enum("Rates", {"LOW": 0.5}), False, False),
        (Enum("Flags", {"ON": True}), False, False),
        (Literal["a", 1], False, True),
        (Literal["a", True], False, False),
    ],
)
def test_types_that_can_be_part_of_a_key(annotation: Any, bare: bool, expected: bool) -> None:
    assert can_be_key(annotation, bare=bare) == expected


def test_a_copy_has_another_key_than_its_entity() -> None:
    table = Table("things", key=("PK", "SK"))
    key = ("A#{a}", "A")
    with pytest.raises(
        DesignError, match=r'Thing\.twin has the key of Thing itself, "A#\{a\}" / "A"; give the copy'
    ):
        define_entity(table, {"a": str}, keys=Keys(primary=key), twin=Copy(primary=key))
