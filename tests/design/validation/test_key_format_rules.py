"""Key formats of patterns: a key is read in the format in which the entity writes it, by every operator."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import pytest

from tablewright import Copy, Design, Entity, Find, Index, Keys, Query, Table, connect, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_pattern

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-points", "team", "points")],
    types={"points": "N"},
)


class Role(Enum):
    ADMIN = "admin"
    GUEST = "guest"


class Loud(Enum):
    ADMIN = "ADMIN"


class Score(Entity, table=main, type="SCORE"):
    player: str
    n: int
    plain: int
    role: Role
    loud: Loud
    team: str = "reds"
    points: int = 0
    on: date
    at: fields.Timestamp
    keys = Keys(primary=("P#{player}", "S#{n:06}"), GSI1=("DAY#{on:%Y-%m-%d}", "{at}#{player}"))


class Line(Entity, table=main, type="LINE"):
    """Its sort keys, one for each prefix, are those of copies."""

    line_id: str
    n: int
    name: str
    role: Role
    loud: Loud
    on: date
    at: fields.Timestamp
    price: Decimal
    keys = Keys(primary=("LINE#{line_id}", "LINE"))
    number = Copy(primary=("C#{line_id}", "N#{n:06}"))
    lower = Copy(primary=("L#{line_id}", "{name:lower}"))
    folded = Copy(primary=("F#{line_id}", "{name:fold}"))
    shard = Copy(primary=("H#{line_id}", "{name:shard(8)}#{n}"))
    month = Copy(primary=("M#{line_id}", "{on:%Y-%m}#{n:03}"))
    week = Copy(primary=("W#{line_id}", "{on:%G-%V}"))
    number_text = Copy(primary=("I#{line_id}", "{n}"))
    loud_role = Copy(primary=("R#{line_id}", "{loud}"))
    falling = Copy(primary=("D#{line_id}", "{n:06 desc}#{name}"))
    signed = Copy(primary=("G#{line_id}", "{n:+06}#{name}"))
    latest = Copy(primary=("T#{line_id}", "{at:desc}#{name}"))
    milliseconds = Copy(primary=("E#{line_id}", "{at:epoch_ms}#{name}"))
    cheapest = Copy(primary=("$#{line_id}", "{price:08.2}#{name}"))


RANGES = ["SK > {0}", "SK >= {0}", "SK < {0}", "SK <= {0}", "begins_with(SK, {0})", "SK = {0}"]


def define(entity: Any, parameters: dict[str, Any], key: str, base: Any = Query) -> Any:
    return define_pattern(base, entity, parameters, key=key)


@pytest.mark.parametrize("base", [Query, Find])
@pytest.mark.parametrize("clause", RANGES)
def test_a_number_without_its_width_is_rejected_with_the_fix(clause: str, base: Any) -> None:
    with pytest.raises(DesignError, match=r"where \{n\} has another format; .*: write \{n:06\}"):
        define(Score, {"player": str, "n": int}, f"PK = P#{{player}} AND {clause.format('S#{n}')}", base)
    define(Score, {"player": str, "n": int}, f"PK = P#{{player}} AND {clause.format('S#{n:06}')}", base)


@pytest.mark.parametrize(("low", "high"), [("S#{a}", "S#{b:06}"), ("S#{a:06}", "S#{b}")])
def test_both_bounds_of_between_are_checked(low: str, high: str) -> None:
    wrong = "a" if low == "S#{a}" else "b"
    with pytest.raises(DesignError, match=rf"the range misses items: write \{{{wrong}:06\}}"):
        define(
            Score, {"player": str, "a": int, "b": int}, f"PK = P#{{player}} AND SK BETWEEN {low} AND {high}"
        )


WRONG = {
    "another width": ("PK = C#{line_id} AND SK > N#{n:04}", {"n": int}, r"write \{n:06\}"),
    "a shorter width as a prefix": ("PK = C#{line_id} AND SK begins_with N#{n:04}", {"n": int}, "write"),
    "a time for a number": ("PK = C#{line_id} AND SK > N#{n}", {"n": datetime}, r"make n an int, and write"),
    "no case": ("PK = L#{line_id} AND SK = {name}", {"name": str}, r"write \{name:lower\}"),
    "no case in a prefix": ("PK = L#{line_id} AND SK begins_with {p}", {"p": str}, r"write \{p:lower\}"),
    "no case in a range": ("PK = L#{line_id} AND SK >= {p}", {"p": str}, r"write \{p:lower\}"),
    "another case": ("PK = L#{line_id} AND SK = {name:upper}", {"name": str}, r"write \{name:lower\}"),
    "not folded": ("PK = F#{line_id} AND SK = {name:lower}", {"name": str}, r"write \{name:fold\}"),
    "a case that the enum has not": (
        "PK = R#{line_id} AND SK = {loud:lower}",
        {"loud": Loud},
        r"write \{loud\}",
    ),
    "other shards": (
        "PK = H#{line_id} AND SK begins_with {name:shard(4)}#",
        {"name": str},
        r"write \{name:shard\(8\)\}",
    ),
    "a month and day for a month": (
        "PK = M#{line_id} AND SK > {on:%Y-%m-%d}",
        {"on": date},
        r"write \{on:%Y-%m\}",
    ),
    "a week for a month": ("PK = M#{line_id} AND SK > {on:%G-%V}", {"on": date}, r"write \{on:%Y-%m\}"),
    "a month for a week": ("PK = W#{line_id} AND SK = {on:%Y-%m}", {"on": date}, r"write \{on:%G-%V\}"),
    "a width that is not written": ("PK = I#{line_id} AND SK > {n:04}", {"n": int}, r"write \{n\}"),
    "no descending order": ("PK = D#{line_id} AND SK > {n:06}", {"n": int}, r"write \{n:06 desc\}"),
    "a plain number": ("PK = D#{line_id} AND SK > {n}", {"n": int}, r"write \{n:06 desc\}"),
    "a time for a number in descending order": (
        "PK = D#{line_id} AND SK > {at}",
        {"at": datetime},
        r"make at an int, and write \{at:06 desc\}",
    ),
    "descending order that is not written": (
        "PK = C#{line_id} AND SK > N#{n:06 desc}",
        {"n": int},
        r"write \{n:06\}",
    ),
    "no sign": ("PK = G#{line_id} AND SK > {n:06}", {"n": int}, r"write \{n:\+06\}"),
    "a time in ascending order": ("PK = T#{line_id} AND SK > {at}", {"at": datetime}, r"write \{at:desc\}"),
    "other digits of a time": (
        "PK = T#{line_id} AND SK > {at:%Y%m desc}",
        {"at": datetime},
        r"write \{at:desc\}",
    ),
    "seconds for milliseconds": (
        "PK = E#{line_id} AND SK > {at:epoch}",
        {"at": datetime},
        r"write \{at:epoch_ms\}",
    ),
    "a number for milliseconds": (
        "PK = E#{line_id} AND SK > {since}",
        {"since": int},
        r"make since a Timestamp, and write \{since:epoch_ms\}",
    ),
    "other decimals": (
        "PK = $#{line_id} AND SK > {price:08.1}",
        {"price": Decimal},
        r"write \{price:08.2\}",
    ),
    "a Decimal without a width": (
        "PK = $#{line_id} AND SK > {price}",
        {"price": Decimal},
        r"write \{price:08.2\}",
    ),
    "a date for a number": ("PK = I#{line_id} AND SK > {n}", {"n": date}, "make n an int"),
}


@pytest.mark.parametrize(("key", "parameters", "fix"), WRONG.values(), ids=WRONG.keys())
def test_other_formats_are_rejected_for_copies(key: str, parameters: dict[str, Any], fix: str) -> None:
    with pytest.raises(DesignError, match=f"has another format; .*{fix}"):
        define(Line, {"line_id": str, **parameters}, key)


INDEX_WRONG = {
    "seconds for a time": ("GSI1SK > {since}", {"since": int}, "make since a Timestamp"),
    "another date format": ("GSI1SK >= {since:%Y%m%d}", {"since": date}, r"write \{since\}"),
    "a bound of another format": (
        "GSI1SK BETWEEN {a:%Y-%m-%d} AND {b:%d-%m-%Y}",
        {"a": date, "b": date},
        r"write \{b\}",
    ),
}


@pytest.mark.parametrize(("clause", "parameters", "fix"), INDEX_WRONG.values(), ids=INDEX_WRONG.keys())
def test_other_formats_are_rejected_for_index_keys(clause: str, parameters: dict[str, Any], fix: str) -> None:
    with pytest.raises(DesignError, match=f"the range misses items: {fix}"):
        define(Score, {"on": date, **parameters}, f"GSI1PK = DAY#{{on}} AND {clause}")


def test_a_number_key_has_no_key_format() -> None:
    with pytest.raises(DesignError, match=r"but points is a number; write \{points\}"):
        define(Score, {"points": int}, "team = reds AND points > {points:04}")
    define(Score, {"points": int}, "team = reds AND points > {points}")


RIGHT: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "the beginning of a time": (Score, "GSI1PK = DAY#{on} AND GSI1SK >= {on}", {"on": date}),
    "a month as a bound": (Score, "GSI1PK = DAY#{on} AND GSI1SK < {m:%Y-%m}", {"on": date, "m": date}),
    "a day with a text after it": (
        Score,
        "GSI1PK = DAY#{on} AND GSI1SK BETWEEN {a:%Y-%m-%d} AND {a:%Y-%m-%d}~",
        {"on": date, "a": date},
    ),
    "a text": (Score, "PK = P#{player} AND SK > S#{n}", {"player": str, "n": str}),
    "a bound before all": (Score, "PK = P#{player} AND SK > A", {"player": str}),
    "the same case": (Line, "PK = L#{line_id} AND SK begins_with {p:lower}", {"line_id": str, "p": str}),
    "an enum in lower case": (Line, "PK = L#{line_id} AND SK = {role}", {"line_id": str, "role": Role}),
    "a literal in lower case": (
        Line,
        "PK = L#{line_id} AND SK = {role}",
        {"line_id": str, "role": Literal["admin"]},
    ),
    "the same shards": (
        Line,
        "PK = H#{line_id} AND SK begins_with {name:shard(8)}#",
        {"line_id": str, "name": str},
    ),
    "a shard number": (Line, "PK = H#{line_id} AND SK begins_with {s}#", {"line_id": str, "s": int}),
    "the same descending order": (
        Line,
        "PK = D#{line_id} AND SK <= {n:06 desc}#~",
        {"line_id": str, "n": int},
    ),
    "a month in descending order": (
        Line,
        "PK = T#{line_id} AND begins_with(SK, {on:%Y-%m desc})",
        {"line_id": str, "on": date},
    ),
    "a day in descending order": (Line, "PK = T#{line_id} AND SK < {on:desc}", {"line_id": str, "on": date}),
    "the same milliseconds": (
        Line,
        "PK = E#{line_id} AND SK BETWEEN {a:epoch_ms} AND {b:epoch_ms}#~",
        {"line_id": str, "a": datetime, "b": datetime},
    ),
    "the same decimals": (Line, "PK = $#{line_id} AND SK > {p:08.2}", {"line_id": str, "p": Decimal}),
    "the same sign": (Line, "PK = G#{line_id} AND SK > {n:+06}", {"line_id": str, "n": int}),
    "a year of a month": (Line, "PK = M#{line_id} AND SK begins_with {y:04}", {"line_id": str, "y": int}),
}


@pytest.mark.parametrize(("entity", "key", "parameters"), RIGHT.values(), ids=RIGHT.keys())
def test_the_same_format_is_accepted(entity: Any, key: str, parameters: dict[str, Any]) -> None:
    define(entity, parameters, key)


def test_a_range_in_the_same_format_returns_what_is_greater() -> None:
    class Counted(Entity, table=Table("counted", key=("PK", "SK")), type="COUNTED"):
        n: int
        keys = Keys(primary=("ALL", "S#{n:06}"))

    class Above(Query[Counted]):
        n: int
        key = "PK = ALL AND SK > S#{n:06}"

    db = connect(Design("counted", entities=[Counted], patterns=[Above]))
    for number in (3, 20, 100):
        db.create(Counted(n=number))
    assert [each.n for each in db.run(Above(n=3))] == [20, 100]
