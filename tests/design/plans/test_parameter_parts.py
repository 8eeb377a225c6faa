"""Requests for all shards of a key, and for all periods between two times."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Annotated, Any

import pytest
from pydantic import Field

from tablewright import Entity, Index, Keys, Query, Table, errors, fields

main = Table("main", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")])


class Event(Entity, table=main, type="EVENT"):
    event_id: str
    kind: str = "visit"
    bucket: Annotated[int, Field(ge=1, le=3)] = 1
    at: fields.Timestamp
    day: date
    keys = Keys(
        primary=("EVENT#{at:%Y-%m}", "{event_id}"),
        GSI1=("{kind}#{day}#{event_id:shard(16)}", "{at}"),
        GSI2=("BUCKET#{bucket}", "{at:%G-W%V}"),
    )


class OfMonth(Query[Event]):
    month: str
    key = "PK = EVENT#{month}"


class LatestOfMonth(Query[Event]):
    at: fields.Timestamp
    key = "PK = EVENT#{at:%Y-%m}"
    descending = True


class OfDay(Query[Event]):
    kind: str
    day: date
    shard: int
    key = "GSI1PK = {kind}#{day}#{shard:02}"


class OfDayInText(Query[Event]):
    kind: str
    day: str
    shard: str
    key = "GSI1PK = {kind}#{day}#{shard}"


class OfBucket(Query[Event]):
    number: int
    key = "GSI2PK = BUCKET#{number}"


class OfOwnShard(Query[Event]):
    kind: str
    day: date
    event_id: str
    key = "GSI1PK = {kind}#{day}#{event_id:shard(16)}"


def test_each_shard_of_a_key_format_has_a_request() -> None:
    requests = OfDay.shards(kind="visit", day=date(2026, 5, 1))
    assert requests == [OfDay(kind="visit", day=date(2026, 5, 1), shard=shard) for shard in range(16)]


def test_shards_are_texts_where_the_parameter_is_one() -> None:
    requests = OfDayInText.shards(kind="visit", day="2026-05-01")
    assert [request.shard for request in requests] == [f"{shard:02}" for shard in range(16)]


def test_the_bounds_of_a_field_are_its_shards() -> None:
    assert [request.number for request in OfBucket.shards()] == [1, 2, 3]


def test_months_between_two_times_in_any_zone() -> None:
    zone = timezone(timedelta(hours=2))
    start, end = datetime(2025, 12, 1, 1, tzinfo=zone), datetime(2026, 2, 1, tzinfo=UTC)
    assert [request.month for request in OfMonth.between(start, end)] == [
        "2025-11",
        "2025-12",
        "2026-01",
        "2026-02",
    ]


def test_a_descending_pattern_has_the_latest_period_first() -> None:
    requests = LatestOfMonth.between(date(2026, 1, 31), date(2026, 2, 1))
    assert [request.at for request in requests] == [
        datetime(2026, 2, 1, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
    ]


def test_days_of_a_date_that_the_key_has_without_a_format() -> None:
    days = [date(2026, 2, 28), date(2026, 3, 1)]
    requests = OfDay.between(days[0], days[1], kind="visit", shard=3)
    assert requests == [OfDay(kind="visit", day=day, shard=3) for day in days]
    texts = OfDayInText.between(days[0], days[1], kind="visit", shard="03")
    assert [request.day for request in texts] == ["2026-02-28", "2026-03-01"]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: OfMonth.shards(), "OfMonth has no parameter for a shard"),
        (
            lambda: OfOwnShard.shards(kind="a", day=date(2026, 5, 1), event_id="1"),
            "OfOwnShard has no parameter",
        ),
        (
            lambda: OfBucket.between(date(2026, 1, 1), date(2026, 1, 2)),
            "OfBucket has no parameter for a part",
        ),
        (lambda: OfBucket.shards(number=1), "leave number out"),
        (lambda: OfMonth.between(date(2026, 1, 1), date(2026, 1, 2), month="2026-01"), "leave month out"),
        (lambda: OfMonth.between(date(2026, 1, 2), date(2026, 1, 1)), "end = 2026-01-01 is before"),
        (
            lambda: OfDay.between(date(1, 1, 1), date(2026, 1, 1), kind="a", shard=1),
            "more than 10000 requests",
        ),
        (lambda: OfMonth.between("2026-01", date(2026, 1, 1)), "start must be a datetime or a date"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_enumerated_is_refused(action: Any, words: str) -> None:
    with pytest.raises(errors.UsageError, match=words):
        action()


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(errors.KeyValueError, match="has no time zone"):
        OfMonth.between(datetime(2026, 1, 1), date(2026, 1, 1))


@pytest.mark.parametrize("name", ["shards", "between"])
def test_a_parameter_with_the_name_of_a_method_is_refused(name: str) -> None:
    with pytest.raises(errors.DesignError, match=f"parameter {name}, which is a method of queries"):
        type("Wrong", (Query[Event],), {"__annotations__": {name: str}, "key": f"PK = EVENT#{{{name}}}"})
