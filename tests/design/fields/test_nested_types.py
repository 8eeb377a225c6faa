"""The type and the stored name of nested fields, map entries and list elements."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from typing_extensions import TypedDict

from tablewright.design.fields.annotations import NotNested, Part, member


class Address(BaseModel):
    city: str
    zip_code: str = Field(default="", alias="zipCode")


class Company(BaseModel):
    name: str
    city: int


class Renamed(BaseModel):
    city: str = Field(alias="town")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    city: str


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


Lower = Annotated[str, StringConstraints(to_lower=True)]


class Marks(TypedDict):
    maths: int


@pytest.mark.parametrize(
    ("annotation", "part", "found"),
    [
        (Address, "city", ("city", str)),
        (Address | None, "zip_code", ("zipCode", str)),
        (Annotated[Address, "metadata"], "city", ("city", str)),
        (Open, "other", ("other", Any)),
        (Marks, "maths", ("maths", int)),
        (dict[str, Address], "home", ("home", Address)),
        (dict[Side, int], "left", ("left", int)),
        (dict[Annotated[str, Field(max_length=4)], int], "home", ("home", int)),
        (dict, "home", ("home", Any)),
        (list[Address], 3, (3, Address)),
        (list, 0, (0, Any)),
        (tuple[int, ...], 7, (7, int)),
        (tuple[int, str], 1, (1, str)),
        (Address | Company, "name", ("name", str)),
        (Address | Company, "city", ("city", Any)),
        (Any, "x", ("x", Any)),
        (object, 0, (0, Any)),
    ],
)
def test_members(annotation: Any, part: Part, found: tuple[Part, Any]) -> None:
    assert member(annotation, part) == found


@pytest.mark.parametrize(
    ("annotation", "part", "message"),
    [
        (Address, "citi", r"is a Address, which has no field citi; did you mean city\?"),
        (Address, 0, "is a Address, which has no field 0; it has: city, zip_code"),
        (Address, "zipCode", r"no field zipCode; did you mean zip_code\?"),
        (Marks, "math", r"is a Marks, which has no key math; did you mean maths\?"),
        (dict[str, int], 0, r'is a map, whose keys are text, not 0; write \["0"\]'),
        (
            dict[Side, int],
            "lfet",
            "is a map, whose keys must be 'left' or 'right', got 'lfet'",
        ),
        (dict[Literal["a"], int], "b", "is a map, whose keys must be 'a', got 'b'"),
        (
            dict[Annotated[str, Field(max_length=4)], int],
            "house",
            "is a map, whose keys must have at most 4 characters, got 'house'",
        ),
        (dict[Lower, int], "HOME", r"stores the key 'HOME' as 'home'; write \['home'\]"),
        (list[int], "first", r"is a list, whose elements have no names; write \[0\], not 'first'"),
        (list[int], -1, r"counted from the start: \[0\], not \[-1\]"),
        (tuple[int, str], 2, r"has 2 elements, none at \[2\]"),
        (set[str], 0, r"is a set, whose elements have no names or positions; use contains\(\)"),
        (str, 0, "is a str, which has no nested fields"),
        (int | None, "x", "is a int, which has no nested fields"),
        (Address | Company, "street", "has no field street"),
        (Address | Renamed, "city", r"under several stored names \(city, town\); give it one alias"),
    ],
)
def test_parts_that_the_type_does_not_have(annotation: Any, part: Part, message: str) -> None:
    with pytest.raises(NotNested, match=message):
        member(annotation, part)
