"""Stored values of other programs are read as they are; valid values have their type."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError
from tablewright_systems.service.stored_values import AS_STORED, StoredTime


class Level(StrEnum):
    LOW = "low"


class Stored(BaseModel):
    level: Annotated[Level, *AS_STORED] = Level.LOW
    day: Annotated[date | None, *AS_STORED] = None


def test_valid_values_have_their_type() -> None:
    stored = Stored.model_validate({"level": "low", "day": "2026-01-31"})
    assert (stored.level, stored.day) == (Level.LOW, date(2026, 1, 31))
    assert stored.level is Level.LOW
    assert stored.model_dump(mode="json") == {"level": "low", "day": "2026-01-31"}


@pytest.mark.parametrize("value", ["medium", "1 May", True, 7, Decimal("1.5")])
def test_other_values_are_shown_as_stored(value: Any) -> None:
    stored = Stored.model_validate({"level": value, "day": "soon"})
    shown = stored.model_dump(mode="json")
    assert shown == {"level": value, "day": "soon"}
    assert stored.level is not Level.LOW


def test_a_value_without_a_json_form_is_invalid() -> None:
    with pytest.raises(ValidationError):
        Stored.model_validate({"level": ["low"]})


def test_the_schema_is_that_of_valid_values() -> None:
    schema = Stored.model_json_schema(mode="serialization")["properties"]["day"]
    assert schema["anyOf"] == [{"format": "date", "type": "string"}, {"type": "null"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-03-01T10:00:00Z", datetime(2025, 3, 1, 10, tzinfo=UTC)),
        ("2025-03-01T10:00:00.123456", datetime(2025, 3, 1, 10, microsecond=123_000, tzinfo=UTC)),
        ("2025-03-01T10:00:00+02:00", datetime(2025, 3, 1, 8, tzinfo=UTC)),
        ("2025-03-01", datetime(2025, 3, 1, tzinfo=UTC)),
    ],
)
def test_time_without_a_zone_is_in_utc(text: str, expected: datetime) -> None:
    assert TypeAdapter(StoredTime).validate_python(text) == expected


def test_text_that_is_no_time_is_invalid() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(StoredTime).validate_python("soon")
