"""Markers, and the ids and times that fields have as defaults."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, ValidationError

from tablewright import fields
from tablewright.errors import DesignError
from tests.thread_switching import frequent_thread_switches


def test_ulids_of_one_millisecond_are_ordered() -> None:
    made = [fields.ulid(1_750_000_000.123) for _ in range(2_000)]
    assert made == sorted(set(made))
    assert len({each[:10] for each in made}) == 1


def test_a_ulid_begins_with_its_millisecond() -> None:
    assert fields.ulid(1.001)[:10] == "00000000Z9"


def test_ulids_of_concurrent_threads_are_unique() -> None:
    ready = Barrier(4)

    def make(_: int) -> list[str]:
        ready.wait()
        return [fields.ulid(5.0) for _ in range(500)]

    for _ in range(100):
        with frequent_thread_switches(), ThreadPoolExecutor(4) as pool:
            made = list(pool.map(make, range(4)))
        assert all(each == sorted(each) for each in made)
        assert len({one for each in made for one in each}) == 2_000
        first, second, *_ = sorted(made)
        if second[0] < first[-1]:
            return
    pytest.fail("no two threads made ids at the same time")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"after": timedelta(days=1)}, "Ttl needs both after and of, or neither"),
        ({"of": "created_at"}, "Ttl needs both after and of, or neither"),
        ({"after": timedelta(0), "of": "created_at"}, "expires items at once; give a positive duration"),
    ],
)
def test_an_invalid_ttl_is_rejected(settings: dict[str, object], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        fields.Ttl(**settings)  # type: ignore[arg-type]


class Account(BaseModel):
    pin: Annotated[str, Field(max_length=4), fields.Hashed()]
    created_at: fields.Timestamp = fields.now()


def test_a_digest_is_not_validated_as_the_value() -> None:
    digest = fields.Digest("a-digest-longer-than-four")
    assert Account(pin=digest).pin is digest
    with pytest.raises(ValidationError):
        Account(pin="12345")


def test_the_default_time_has_milliseconds_and_utc() -> None:
    made = Account(pin="1234").created_at
    assert made.utcoffset() == timedelta(0)
    assert made.microsecond % 1000 == 0


class Embedded(BaseModel):
    meaning: Annotated[list[float] | None, fields.Vector(3)]


class Array:
    """An array with the method that those of numpy have."""

    def tolist(self) -> list[float]:
        return [1.0, 2.0, 3.0]


@pytest.mark.parametrize("numbers", [[1, 2.0, 3], (1, 2, 3), ["1", "2", "3"], Array()])
def test_a_vector_is_a_list_of_floats(numbers: object) -> None:
    assert Embedded.model_validate({"meaning": numbers}).meaning == [1.0, 2.0, 3.0]
    assert Embedded(meaning=None).meaning is None


@pytest.mark.parametrize(
    ("numbers", "problem"),
    [
        ([], "must have 3 numbers, got 0"),
        ([1, 2, 3, 4], "must have 3 numbers, got 4"),
        ([1, 2, float("inf")], "must have finite numbers"),
        ([float("-inf"), 2, float("inf")], "must have finite numbers"),
        ([3.5e38, 0, 0], "must have numbers that fit a 32-bit float"),
        (["one", 2, 3], "should be a valid number"),
    ],
)
def test_what_is_no_vector_is_rejected(numbers: list[float], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        Embedded(meaning=numbers)


def test_the_schema_of_a_vector_is_that_of_its_list() -> None:
    schema = Embedded.model_json_schema()["properties"]["meaning"]
    assert schema["anyOf"][0] == {"items": {"type": "number"}, "type": "array"}
    assert Embedded(meaning=[1, 2, 3]).model_dump_json() == '{"meaning":[1.0,2.0,3.0]}'
