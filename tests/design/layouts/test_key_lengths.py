"""Key lengths: the longest text of a field in a key."""

from datetime import date
from enum import Enum
from typing import Annotated

from pydantic import Field

from tablewright import Entity, Table, fields
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.layouts.key_lengths import KeyLength, longest_text


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
