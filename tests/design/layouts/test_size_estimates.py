"""Size estimates grow with the type, as item sizes do."""

from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from tablewright import Entity, Table, fields
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.layouts.size_estimates import KeyLength, estimated_size, largest_size, longest_text


class Point(BaseModel):
    x: int
    longitude: int = Field(alias="lon")


class Tree(BaseModel):
    name: str
    left: "Tree | None" = None


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (int, 8),
        (datetime | None, 24),
        (Literal["a", "abc"], 3),
        (list[int], 3 + 1 + 8),
        (Point, 3 + (1 + 1 + 8) + (3 + 1 + 8)),
        (Any, 100),
        (Tree, 3 + (4 + 1 + 36) + (4 + 1 + 100)),
    ],
)
def test_estimated_size(annotation: Any, size: int) -> None:
    assert estimated_size(annotation) == size


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (str, 36),
        (Annotated[str, Field(max_length=500)] | None, 500),
        (Annotated[list[int], Field(max_length=10)], 3 + 10 * 9),
        (Annotated[dict[str, int], Field(max_length=10)], 3 + 10 * (1 + 36 + 8)),
        (list[Annotated[str, Field(max_length=500)]], 3 + 1 + 36),
        (Point, 3 + (1 + 1 + 8) + (3 + 1 + 8)),
        (Tree, 3 + (4 + 1 + 36) + (4 + 1 + 100)),
    ],
)
def test_largest_size(annotation: Any, size: int) -> None:
    assert largest_size(annotation) == size


class Color(Enum):
    RED = "red"
    GREEN = "green"


class Thing(Entity, table=Table("things", key="thingId")):
    thing_id: str
    name: Annotated[str, Field(max_length=10)] | None = None
    raw: Annotated[bytes, Field(max_length=10)] = b""
    token: Annotated[str, fields.Hashed()] = ""
    color: Color = Color.RED
    made_at: Timestamp
    day: date
    count: int = 0


def test_longest_texts() -> None:
    found = {
        name: (length.characters, length.bytes)
        for name, field in Thing.layout.fields.items()
        if (length := longest_text(field, Thing.layout))
    }
    assert found == {
        "name": (10, 30),
        "raw": (10, 10),
        "token": (64, 64),
        "color": (5, 5),
        "made_at": (24, 24),
        "day": (10, 10),
        "count": (39, 39),
    }


def test_lengths_add_up() -> None:
    assert KeyLength.of("\N{GREEK SMALL LETTER PI}#") + KeyLength(10, 30) == KeyLength(12, 33)
