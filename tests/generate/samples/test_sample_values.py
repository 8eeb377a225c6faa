"""Field values: every type that a field may have."""

import random
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from tablewright.generate.samples.sample_texts import Person, Texts
from tablewright.generate.samples.sample_times import Times
from tablewright.generate.samples.sample_values import Decks, FieldValues, ordered

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
