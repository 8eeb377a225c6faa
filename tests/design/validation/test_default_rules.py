"""Defaults that the library sets are valid values of their fields; others are rejected when the class is defined."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, NewType
from uuid import UUID

import pytest
from pydantic import AwareDatetime, Field

from tablewright import Table, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table("things", key="a")
TIME = r"Thing.b has the default fields\.{}\(\), which is a time and not a valid {}; declare it as fields\.Timestamp"
ID = r"Thing.b has the default fields\.new_id\(\), which is a text of 26 characters and not a valid {}; declare"


def define(annotation: Any, default: Any) -> None:
    define_entity(main, {"a": str, "b": annotation}, b=default)


@pytest.mark.parametrize(
    ("annotation", "default", "message"),
    [
        (bool, fields.now(), TIME.format("now", "bool")),
        (float | None, fields.now(), TIME.format("now", "float")),
        (date, fields.touched(), TIME.format("touched", "date")),
        (list[str], fields.touched(), TIME.format("touched", "list")),
        (Annotated[int, Field(lt=1000)], fields.now(), TIME.format("now", "int")),
        (Annotated[str, Field(max_length=10)], fields.now(), TIME.format("now", "str")),
        (int, fields.new_id(), ID.format("int")),
        (Annotated[str, Field(max_length=10)], fields.new_id(), ID.format("str")),
    ],
)
def test_a_default_that_is_not_valid_is_rejected(annotation: Any, default: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        define(annotation, default)


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (fields.Timestamp, fields.now()),
        (fields.Timestamp | None, fields.touched()),
        (datetime, fields.touched()),
        (AwareDatetime, fields.now()),
        (int, fields.now()),
        (Annotated[int, Field(ge=1_000_000_000, lt=10_000_000_000)], fields.now()),
        (str, fields.now()),
        (str, fields.new_id()),
        (NewType("UserId", str), fields.new_id()),
        (Annotated[str, Field(min_length=26, max_length=26)], fields.new_id()),
        (bool, False),
    ],
)
def test_a_valid_default_is_accepted(annotation: Any, default: Any) -> None:
    define(annotation, default)


@pytest.mark.parametrize(
    ("annotation", "default", "message"),
    [
        (
            str,
            fields.Unique(),
            r"Thing\.b has the marker fields\.Unique\(\) as its default; "
            r"write b: Annotated\[str, fields\.Unique\(\)\]",
        ),
        (int, fields.Counter(), r"write b: Annotated\[int, fields\.Counter\(\)\]"),
        (
            Annotated[str, fields.Unique],
            "x",
            r"Thing\.b has the marker fields\.Unique without parentheses; "
            r"write b: Annotated\[str, fields\.Unique\(\)\]",
        ),
        (Annotated[int, fields.Version], 0, r"fields\.Version without parentheses"),
        (Annotated[str, fields.Encrypted] | None, None, r"fields\.Encrypted without parentheses"),
        (
            fields.Timestamp,
            fields.now,
            r"Thing\.b has the function fields\.now as its default; call it: b: datetime = fields\.now\(\)",
        ),
        (str, fields.new_id, r"call it: b: str = fields\.new_id\(\)"),
    ],
)
def test_markers_and_defaults_are_called_in_their_place(annotation: Any, default: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        define(annotation, default)


AT_IMPORT = datetime(2026, 5, 1, 12, 0, 0, 123_456, tzinfo=UTC)
ONE_ID = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"


@pytest.mark.parametrize(
    ("annotation", "default", "fix"),
    [
        (fields.Timestamp, AT_IMPORT, "b: fields.Timestamp = fields.now()"),
        (datetime | None, AT_IMPORT.replace(tzinfo=None), "fields.now()"),
        (fields.Timestamp, Field(default=AT_IMPORT), "fields.now()"),
    ],
)
def test_a_time_that_was_made_with_the_class_is_rejected(annotation: Any, default: Any, fix: str) -> None:
    with pytest.raises(DesignError, match=r"Thing.b has the default .* when the class was defined") as caught:
        define(annotation, default)
    assert fix in str(caught.value)


@pytest.mark.parametrize(
    ("annotation", "default", "fix"),
    [
        (str, "01M7PHSXR64JP7CHJW1DP7CGSV", "a: str = fields.new_id()"),
        (str, ONE_ID, "fields.new_id()"),
        (str, ONE_ID.replace("-", ""), "fields.new_id()"),
        (UUID, UUID(ONE_ID), "a: UUID = Field(default_factory=uuid4)"),
    ],
)
def test_an_id_that_was_made_with_the_class_is_rejected(annotation: Any, default: Any, fix: str) -> None:
    with pytest.raises(
        DesignError, match=r"Thing.a has the default .* made once, for all entities"
    ) as caught:
        define_entity(main, {"a": annotation}, a=default)
    assert fix in str(caught.value)
    with pytest.raises(DesignError, match=r"Thing.b has the default .* made once, for all entities"):
        define(Annotated[annotation, fields.Unique()], default)


def test_constants_that_a_person_would_write_are_accepted() -> None:
    define(fields.Timestamp, datetime(2026, 5, 1, 12, 0, 0, 500_000, tzinfo=UTC))
    define(str, ONE_ID)  # not in the key: a tenant, a template
    define_entity(main, {"a": str}, a="PROFILE")
