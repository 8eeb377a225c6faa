"""Annotations: types without `None` and `Annotated`, and nested fields."""

from typing import Annotated, Any, Optional

import pytest
from pydantic import BaseModel, Field

from tablewright.design.fields.annotations import (
    integer_bounds,
    max_length,
    nested_fields,
    plain_type,
    without_none,
)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (int, (int, False, ())),
        (int | None, (int, True, ())),
        (Optional[int], (int, True, ())),  # noqa: UP045 - the older form
        (Annotated[int, "m"] | None, (int, True, ("m",))),
        (int | str | None, (int | str | None, True, ())),
    ],
)
def test_none_is_removed(annotation: Any, expected: tuple[Any, bool, tuple[Any, ...]]) -> None:
    assert without_none(annotation) == expected


def test_metadata_is_collected_at_every_level() -> None:
    limited = Field(max_length=3)
    plain, metadata = plain_type(Annotated[Annotated[list[str], limited] | None, "outer"])
    assert plain == list[str]
    assert max_length(metadata) == 3
    assert metadata[-1] == "outer"


class Address(BaseModel):
    lines: Annotated[list[str], Field(max_length=4)]


class Person(BaseModel):
    name: str
    address: Address | None = None


def test_fields_of_nested_models_have_paths() -> None:
    found = {path: (kind, max_length(metadata)) for path, kind, metadata in nested_fields(Person)}
    assert found == {
        "name": (str, None),
        "address": (Address, None),
        "address.lines": (list[str], 4),
    }


class Folder(BaseModel):
    name: str
    parent: "Folder | None" = None


def test_a_model_inside_itself_is_entered_once() -> None:
    assert [path for path, _, _ in nested_fields(Folder)] == ["name", "parent"]


def test_integer_bounds_include_both_ends() -> None:
    _, between = plain_type(Annotated[int, Field(ge=0, lt=8)])
    _, beyond = plain_type(Annotated[int, Field(gt=0)])
    assert [integer_bounds(each) for each in (between, beyond, ())] == [(0, 7), (1, None), (None, None)]
