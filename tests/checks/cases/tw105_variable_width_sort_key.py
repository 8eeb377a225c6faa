from datetime import date
from typing import Annotated

from pydantic import Field

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW105"
levels = Table("levels", key=("PK", "SK"))
numbers = Table("numbers", key=("PK", "SK"), types={"SK": "N"})


class Level(Entity, table=levels):
    game_id: str
    level: int
    day: date
    at: Timestamp
    started_at: Annotated[str, Field(min_length=24, max_length=24)]
    keys = Keys(primary=("GAME#{game_id}", "{day}#{level:06}#{at}#{started_at}"))


class Number(Entity, table=numbers):
    game_id: str
    level: int
    keys = Keys(primary=("GAME#{game_id}", "{level}"))


class Unpadded(Entity, table=levels):
    game_id: str
    level: int
    keys = Keys(primary=("GAME#{game_id}", "LEVEL#{level}"))


class AnyTime(Entity, table=levels):
    game_id: str
    started_at: str
    keys = Keys(primary=("GAME#{game_id}", "{started_at}#{game_id}"))


class Dated(Entity, table=levels):
    game_id: str
    at: Timestamp
    keys = Keys(primary=("GAME#{game_id}#{at:%d.%m.%Y}", "{at:%Y-%m-%dT%H}#{at:%G-W%V desc}#{game_id}"))


class DayFirst(Entity, table=levels):
    game_id: str
    at: Timestamp
    keys = Keys(primary=("GAME#{game_id}", "{at:%d.%m.%Y}#{game_id}"))


class DayFirstDescending(Entity, table=levels):
    game_id: str
    at: Timestamp
    keys = Keys(primary=("GAME#{game_id}", "{at:%H %Y-%m-%d desc}#{game_id}"))


passes = [
    Design("fixed", entities=[Level]),
    Design("a number", entities=[Number]),
    Design("parts in order", entities=[Dated]),
]
fails = [
    (Design("unpadded", entities=[Unpadded]), [("warning", "Unpadded.level", '"10" sorts before "9"')]),
    (Design("text", entities=[AnyTime]), [("warning", "AnyTime.started_at", "no fixed width")]),
    (
        Design("day first", entities=[DayFirst]),
        [("warning", "DayFirst.at", "a smaller part of the time comes before a larger one")],
    ),
    (
        Design("descending", entities=[DayFirstDescending]),
        [("warning", "DayFirstDescending.at", "not in the order of time")],
    ),
]
