"""Filters that DynamoDB rejects, or that never match, are rejected when the pattern is defined."""

from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest

from tablewright import Entity, Find, Index, Keys, Query, Scan, Table, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_pattern

main = Table("main", key=("PK", "SK"))
events = Table("events", key=("userId", "nr"), types={"nr": "N"}, indexes=[Index("by-city", "city", "nr")])


class Event(Entity, table=events):
    user_id: str
    nr: int
    city: str = ""


class Ticket(Entity, table=main, type="TICKET"):
    ticket_id: str
    status: Literal["open", "closed"] = "open"
    urgent: bool = False
    points: int = 0
    tags: list[str]
    sizes: set[int]
    opened_at: fields.Timestamp
    keys = Keys(primary=("TICKET#{ticket_id}", "TICKET"))


FILTERS: dict[str, tuple[str, Any, str]] = {
    "text for a number": (
        "points > {x}",
        str,
        "points is a number and never matches text; give x the type of points",
    ),
    "a number for text": ("status = {x}", int, "status is text and never matches a number"),
    "text for a boolean": ("urgent = {x}", str, "urgent is a boolean and never matches text"),
    "on the other side": ("{x} = urgent", str, "urgent is a boolean"),
    "within NOT and OR": ("NOT (points = {y} OR urgent = {x})", str, "urgent is a boolean"),
    "a choice": ("points IN ({y}, {x})", str, "points is a number"),
    "a bound": ("points BETWEEN {y} AND {x}", str, "points is a number"),
    "order of booleans": ("urgent > {x}", bool, "urgent is a boolean, which has no order"),
    "a prefix of a number": ("begins_with(points, {x})", str, "begins_with needs text"),
    "an element": ("contains(sizes, {x})", str, "sizes is a number and never matches text"),
    "an element of a list": ("tags[0] = {x}", int, "is text and never matches a number"),
    "a size": ("size(tags) > {x}", str, "is a number and never matches text"),
    "a date for a time": ("opened_at >= {x}", date, "is a time and never matches a date; use a Timestamp"),
    "other values": (
        "status = {x}",
        Literal["opne"],
        "has the values 'open', 'closed' and never matches 'opne'",
    ),
}


def filtered(text: str, kind: Any) -> Any:
    parameters = {"ticket_id": str, "x": kind, **({"y": int} if "{y}" in text else {})}
    return define_pattern(Query, Ticket, parameters, filter=text)


@pytest.mark.parametrize(("text", "kind", "message"), FILTERS.values(), ids=FILTERS.keys())
def test_filters_with_parameters_of_another_type_are_rejected(text: str, kind: Any, message: str) -> None:
    with pytest.raises(DesignError) as caught:
        filtered(text, kind)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("status = {x}", str),
        ("status = {x}", Literal["open"]),
        ("points > {x}", Decimal),
        ("begins_with(status, {x})", str),
        ("contains(tags, {x})", str),
        ("contains(sizes, {x})", int),
        ("size(tags) > {x}", int),
        ("opened_at >= {x}", fields.Timestamp),
        ("opened_at >= {x}", str),
        ("attribute_type(tags, {x})", str),
        ("{x} IN (status, ticket_id)", str),
        ("{x} BETWEEN points AND size(tags)", int),
    ],
)
def test_filters_with_parameters_of_the_same_type_are_accepted(text: str, kind: Any) -> None:
    filtered(text, kind)


@pytest.mark.parametrize(
    ("base", "parameters", "settings", "message"),
    [
        (
            Query,
            {"user_id": str},
            {"filter": "nr > 3"},
            'has the filter "nr > 3" on nr, which is the key attribute nr of events; compare it in the key condition',
        ),
        (Find, {"city": str}, {"index": "by-city", "filter": "nr > 3"}, "key attribute nr of by-city"),
        (Query, {"user_id": str}, {"filter": "city = {city}"}, "which needs city; add it as a parameter"),
        (Scan, {"city": str}, {}, "has the parameter city, which neither its key nor its filter uses"),
    ],
)
def test_filters_that_cannot_work_are_rejected(
    base: Any, parameters: dict[str, Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(DesignError) as caught:
        define_pattern(base, Event, parameters, **settings)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("base", "parameters", "settings"),
    [
        (Query, {"city": str}, {"index": "by-city", "filter": "user_id = 'x'"}),
        (Scan, {"least": int}, {"filter": "nr > {least}"}),
        (Scan, {}, {"filter": "nr > 3"}),
    ],
)
def test_keys_of_the_table_may_be_filtered_where_they_are_not_the_key(
    base: Any, parameters: dict[str, Any], settings: dict[str, Any]
) -> None:
    assert define_pattern(base, Event, parameters, **settings).__plan__.filter is not None
