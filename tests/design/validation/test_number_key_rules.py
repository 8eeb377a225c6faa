"""Number keys in patterns: compared with numbers, by every operator but begins_with."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

from tablewright import Entity, Index, Keys, Query, Table, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_pattern

main = Table(
    "number-keys",
    key=("PK", "SK"),
    indexes=[
        Index("by-points", "team", "points"),
        Index("by-time", "team", "sentAt"),
        Index("by-day", "team", "day"),
    ],
    types={"points": "N", "sentAt": "N", "day": "N"},
)


class Score(Entity, table=main, type="SCORE"):
    player: str
    team: str
    points: Decimal
    at: fields.Timestamp
    on: date
    keys = Keys(
        primary=("P#{player}", "SCORE"),
        indexes={"by-time": ("{team}", "{at:epoch_ms}"), "by-day": ("{team}", "{on:%Y%m%d}")},
    )


RIGHT = {
    "a Decimal": ("points >= {least}", {"least": Decimal}),
    "an int": ("points < {most}", {"most": int}),
    "a float": ("points = {points}", {"points": float}),
    "a literal type": ("points = {points}", {"points": Literal[1, 2]}),
    "both bounds": ("points BETWEEN {low} AND {high}", {"low": int, "high": Decimal}),
    "a number": ("points > -1.5", {}),
    "numbers": ("points BETWEEN 0 AND 100", {}),
    "milliseconds of a time": ("sentAt > {since:epoch_ms}", {"since": datetime}),
    "milliseconds as a number": ("sentAt > {since}", {"since": int}),
    "digits of a date": ("day BETWEEN {a:%Y%m%d} AND {b:%Y%m%d}", {"a": date, "b": date}),
}


@pytest.mark.parametrize(("clause", "parameters"), RIGHT.values(), ids=RIGHT.keys())
def test_a_number_key_is_compared_with_numbers(clause: str, parameters: dict[str, Any]) -> None:
    define_pattern(Query, Score, {"team": str, **parameters}, key=f"team = {{team}} AND {clause}")


WRONG = {
    "a prefix": (
        "begins_with(points, {points})",
        {"points": int},
        r"reads begins_with\(points, \{points\}\), but points is a number; a number has no beginning: write points >= ",
    ),
    "text": ("points > {least}", {"least": str}, "least is a str: make it an int, a float or a Decimal"),
    "a boolean": ("points > {least}", {"least": bool}, "least is a bool"),
    "a time": ("points > {since}", {"since": datetime}, "since is a datetime"),
    "a width": ("points > {least:06}", {"least": int}, r"points is a number; write \{least\}"),
    "descending order": ("points > {least:06 desc}", {"least": int}, r"write \{least\}"),
    "text around": ("points > P#{least}", {"least": int}, r"P#\{least\} is text: compare with one number"),
    "a word": ("points > many", {}, r"many is text: compare with one number, such as 100 or \{points\}"),
    "one bound": ("points BETWEEN 0 AND all", {}, "all is text"),
    "a time without its format": ("sentAt > {since}", {"since": datetime}, r"write \{since:epoch_ms\}"),
    "seconds for milliseconds": ("sentAt > {since:epoch}", {"since": datetime}, r"write \{since:epoch_ms\}"),
    "a date for milliseconds": (
        "sentAt > {since}",
        {"since": str},
        r"make since a Timestamp, and write \{since:epoch_ms\}",
    ),
    "a month for a day": ("day >= {on:%Y%m}", {"on": date}, r"write \{on:%Y%m%d\}"),
}


@pytest.mark.parametrize(("clause", "parameters", "message"), WRONG.values(), ids=WRONG.keys())
def test_other_comparisons_are_rejected_with_the_fix(
    clause: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(DesignError, match=message):
        define_pattern(Query, Score, {"team": str, **parameters}, key=f"team = {{team}} AND {clause}")
