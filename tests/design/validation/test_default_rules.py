"""Defaults that the library sets are valid values of their fields; others are rejected when the class is defined."""

from datetime import date, datetime
from typing import Annotated, Any, NewType

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
