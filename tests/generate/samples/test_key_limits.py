"""Samples fit the key formats of their fields, and requests find them in keys of every order."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, fields
from tablewright.generate.samples.key_limits import key_limits
from tablewright.generate.samples.sample_data import sample_data

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
    assert [each.plan.name for each in made.requests if not each.found] == []
