"""Field values: every type that a field may have."""

import random
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic import BaseModel, Field, TypeAdapter

from tablewright.generate.samples.sample_texts import Person, Texts
from tablewright.generate.samples.sample_values import (
    SPAN,
    Decks,
    FieldValues,
    Times,
    creation_time,
    ordered,
    sample_number,
)

NOW = datetime(2026, 3, 18, tzinfo=UTC)


class Address(BaseModel):
    street: str
    city: str | None = None


def values(seed: int = 1) -> FieldValues:
    source = random.Random(seed)
    texts = Texts(source, "user", Person("Ada", "Kim"), 0)
    return FieldValues(source, Decks(source), "User", texts, Times(source, NOW - timedelta(days=3), NOW))


@pytest.mark.parametrize(
    "annotation",
    [
        str, int, float, Decimal, bool, bytes, datetime, date, time, timedelta, UUID, Address, Any,
        list[str], set[int], tuple[str, int], dict[str, str], dict[str, Any], list[Address], Literal["a", "b"],
        str | None, Annotated[str, Field(pattern="^[a-z]{2}-[0-9]+$")], Annotated[list[str], Field(min_length=5)],
        Annotated[set[str], Field(max_length=1)],
    ],
    ids=str,
)  # fmt: skip
def test_values_are_of_their_type(annotation: Any) -> None:
    for seed in range(20):
        made = values(seed).typed("thing", annotation)
        TypeAdapter(annotation).validate_python(made)
        assert made not in ([], set())


def test_all_members_are_drawn_before_one_again() -> None:
    decks = Decks(random.Random(1))
    assert sorted(decks.draw("state", "abcd") for _ in range(4)) == list("abcd")


def test_starts_and_ends_without_an_order_stay_as_they_are() -> None:
    given = {"start": Address(street="b"), "end": Address(street="a"), "low": None, "high": None}
    assert ordered(dict(given)) == given
    assert ordered({"min_place": {"a": 1}, "max_place": {"a": 2}}) == {
        "min_place": {"a": 1},
        "max_place": {"a": 2},
    }


def test_starts_are_before_ends() -> None:
    given = {"start": 5, "end": 3, "low_id": "b", "high_id": "a", "period_start": None, "period_end": 1}
    assert ordered(given) == {**given, "start": 3, "end": 5, "low_id": "a", "high_id": "b"}


@pytest.mark.parametrize(
    ("name", "limits", "low", "high"),
    [
        ("price", [], 5, 250),
        ("salary", [Ge(0)], 28_000, 120_000),
        ("percentage", [Ge(0), Le(100)], 0, 100),
        ("anything", [Gt(5), Lt(8)], 6, 7),
        ("anything", [Le(-3)], -1_000, -3),
        ("price", [Ge(1_000_000)], 1_000_000, 1_000_100),
        ("anything", [MultipleOf(25)], 0, 500),
    ],
)
def test_numbers_are_within_limits(name: str, limits: list[Any], low: int, high: int) -> None:
    source = random.Random(1)
    made = [sample_number(name, limits, source, whole=True) for _ in range(50)]
    assert all(low <= one <= high and one == int(one) for one in made)
    if MultipleOf(25) in limits:
        assert all(one % 25 == 0 for one in made)


def test_amounts_have_two_decimals() -> None:
    made = [sample_number("price", [], random.Random(seed), whole=False) for seed in range(20)]
    assert all(one == one.quantize(Decimal("0.01")) for one in made)


TODAY = datetime(2026, 3, 18, tzinfo=UTC)


def test_times_of_one_entity_are_in_order() -> None:
    times = Times(random.Random(1), TODAY - timedelta(days=5), TODAY)
    sent, read, changed = times.by_name("sent_at"), times.by_name("read_at"), times.changed()
    assert times.created <= sent <= read <= changed <= TODAY < times.by_name("due_at")
    assert times.day("date_of_birth") < TODAY.date() - timedelta(days=17 * 365)


def test_creation_is_after_references_and_before_expiry() -> None:
    source = random.Random(1)
    for _ in range(50):
        assert TODAY - SPAN <= creation_time(source, TODAY, None) <= TODAY
        assert TODAY - timedelta(days=2) <= creation_time(source, TODAY, TODAY - timedelta(days=2)) <= TODAY
        assert TODAY - timedelta(hours=1) < creation_time(source, TODAY, None, timedelta(hours=1)) <= TODAY
