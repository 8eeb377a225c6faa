"""The entity generator respects the limits, validators and states of an entity."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from itertools import count
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, field_validator

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, fields
from tablewright.errors import UsageError
from tablewright.generate.samples.entity_generator import key_limits
from tablewright.generate.samples.sample_data import sample_data

NOW = datetime(2026, 3, 18, tzinfo=UTC)
things = Table("things", key="PK", ttl="expiresAt")


class Phase(StrEnum):
    OPEN = "open"
    SENT = "sent"


def order_number(counter: count = count(1000)) -> str:  # type: ignore[type-arg] # noqa: B008
    return f"ORD-{next(counter)}"


class Order(Entity, table=things, type="ORDER"):
    order_id: str = Field(default_factory=order_number)
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    short: Annotated[str, Field(max_length=4)]
    long: Annotated[str, Field(min_length=40)]
    age: Annotated[int, Field(ge=600, lt=700)]
    price: Annotated[Decimal, Field(gt=0, le=1)]
    kind: Literal["a", "b"]
    email: str
    website: str
    currency: str
    phone: str
    customer_id: str
    tags: list[str] | None = None
    names: list[str] = Field(default_factory=list)
    phase: Phase = Phase.OPEN
    sent_at: fields.Timestamp | None = None
    is_paid: bool = False
    paid_by: str | None = None
    version: Annotated[int, fields.Version()] = 0
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()
    expires_at: Annotated[int | None, fields.Ttl(after=timedelta(days=3), of="created_at")] = None
    keys = Keys(primary="ORDER#{order_id}")


def orders() -> list[Order]:
    made = sample_data(Design("shop", entities=[Order]), 40, now=NOW).entities
    return [each for each in made if isinstance(each, Order)]


def test_values_respect_the_limits_of_fields() -> None:
    assert len({one.price for one in orders()}) > 5
    assert {one.tags is None for one in orders()} == {True, False}


def test_texts_look_as_their_names_say() -> None:
    for one in orders():
        assert re.fullmatch(r"[a-z.]+\d*@example\.com", one.email)
        assert one.website.startswith("https://example.com/")
        assert re.fullmatch("[A-Z]{3}", one.currency)
        assert one.phone.startswith("+1 202 555 01")
        assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{26}", one.customer_id)


def test_ids_have_the_form_of_the_default() -> None:
    assert all(re.fullmatch(r"ORD-\d{4}", one.order_id) for one in orders())


def test_lists_are_not_empty() -> None:
    assert all(one.names and (one.tags is None or one.tags) for one in orders())


def test_optional_fields_agree_with_the_state() -> None:
    assert {one.phase for one in orders()} == set(Phase)
    assert all((one.sent_at is not None) == (one.phase is Phase.SENT) for one in orders())
    assert all((one.paid_by is not None) == one.is_paid for one in orders())


def test_what_expires_soon_was_created_recently() -> None:
    made = orders()
    assert all(NOW - timedelta(days=3) < one.created_at <= one.updated_at <= NOW for one in made)
    assert len({one.created_at for one in made}) == len(made)


class Picky(Entity, table=Table("picky", key="PK")):
    name: str
    keys = Keys(primary="P#{name}")

    @field_validator("name")
    @classmethod
    def _never(cls, value: str) -> str:
        raise ValueError("no name is good enough")


def test_an_entity_that_rejects_every_value_is_named() -> None:
    with pytest.raises(UsageError, match=r"cannot generate a sample of Picky: name: no name is good enough"):
        sample_data(Design("picky", entities=[Picky]), count=1)


class Setting(Entity, table=Table("settings", key="PK")):
    scope: Phase
    keys = Keys(primary="SETTING#{scope}")


def test_there_are_fewer_samples_where_no_more_keys_exist() -> None:
    made = sample_data(Design("settings", entities=[Setting]), count=9).entities
    assert {each.scope for each in made} == set(Phase)  # type: ignore[attr-defined]


main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("by-points", "game", "points"),
        Index("by-time", "game", "ms"),
    ],
    types={"points": "N", "ms": "N"},
)


class Score(Entity, table=main, type="SCORE"):
    score_id: str = fields.new_id()
    game: str
    points: Decimal
    latitude: Decimal
    level: Annotated[int, Field(ge=1)]
    reached_at: fields.Timestamp
    day: date
    keys = Keys(
        primary=("SCORE#{score_id}", "{level:02}#{day:desc}"),
        GSI1=("GAME", "{points:05.1 desc}#{latitude:+04 desc}#{reached_at:epoch_ms}"),
        indexes={"by-time": ("{game}", "{reached_at:epoch_ms}")},
    )


class ScoreById(Get[Score]):
    score_id: str
    level: int
    day: date


class Leaders(Query[Score]):
    key = "GSI1PK = GAME AND GSI1SK <= {least:05.1 desc}#~"
    least: Decimal


class Above(Query[Score]):
    game: str
    least: Decimal
    key = "game = {game} AND points >= {least}"


class Since(Query[Score]):
    game: str
    start: datetime
    end: datetime
    key = "game = {game} AND ms BETWEEN {start:epoch_ms} AND {end:epoch_ms}"


class OfDay(Query[Score]):
    score_id: str
    level: int
    day: date
    key = "PK = SCORE#{score_id} AND begins_with(SK, {level:02}#{day:%Y-%m desc})"


def test_the_limits_are_those_of_the_key_formats() -> None:
    (found,) = key_limits(Score.layout, "latitude")
    assert (found.ge, found.le, found.decimal_places) == (Decimal(-999), Decimal(999), 0)
    assert list(key_limits(Score.layout, "day")) == []


def test_each_pattern_finds_a_sample() -> None:
    patterns: list[Any] = [ScoreById, Leaders, Above, Since, OfDay]
    design = Design("scores", entities=[Score], patterns=patterns)
    made = sample_data(design, 20, now=datetime(2026, 3, 18, tzinfo=UTC))
    assert [request.plan.name for request in made.requests if not request.found] == []
