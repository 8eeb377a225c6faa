from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Vector
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW402"
teams = Table("teams", key="teamId")


class Member(BaseModel):
    user_id: str
    role: Literal["lead", "member"]
    joined_at: Timestamp


class Team(Entity, table=teams):
    team_id: str
    members: Annotated[list[Member], Field(max_length=50)] | None = None
    permissions: set[Literal["read", "write"]]
    topic: Annotated[list[float], Vector(1024)]


class Result(BaseModel):
    errors: list[str]


class Unbounded(Entity, table=teams):
    team_id: str
    members: list[Member]
    result: Result
    extra: dict[str, str]


class TooLong(Entity, table=teams):
    team_id: str
    readers: Annotated[list[str], Field(max_length=20_000)]


class LongTexts(Entity, table=teams):
    team_id: str
    posts: Annotated[list[Annotated[str, Field(max_length=5_000)]], Field(max_length=100)]


class ManyTexts(Entity, table=teams):
    team_id: str
    posts: Annotated[list[Annotated[str, Field(max_length=3_000)]], Field(max_length=100)]
    notes: Annotated[list[Annotated[str, Field(max_length=3_000)]], Field(max_length=100)]


class Post(BaseModel):
    tags: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=1_000)]


class Nested(Entity, table=teams):
    team_id: str
    posts: Annotated[list[Post], Field(max_length=10)]


passes = [Design("limited", entities=[Team])]
fails = [
    (
        Design("no limit", entities=[Unbounded]),
        [
            ("warning", "Unbounded.members", "93 bytes each, an item is full at 4,404"),
            ("warning", "Unbounded.result.errors", "37 bytes each, an item is full at 11,070"),
            ("info", "Unbounded.extra", "no limit"),
        ],
    ),
    (
        Design("long elements", entities=[LongTexts]),
        [("warning", "LongTexts.posts", "may have 100 elements: at about 5001 bytes each")],
    ),
    (
        Design("together", entities=[ManyTexts]),
        [
            (
                "warning",
                "ManyTexts",
                "may have 586 KB, and an item has at most 400 KB: posts 293 KB, notes 293 KB",
            )
        ],
    ),
    (Design("nested", entities=[Nested]), [("warning", "Nested.posts", "may have 10 elements")]),
    (Design("too long", entities=[TooLong]), [("warning", "TooLong.readers", "may have 20,000 elements")]),
]
