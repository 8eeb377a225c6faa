"""A design with secrets, copies, locks and binary keys, and items in its tables that other programs wrote."""

from collections.abc import Iterator
from typing import Annotated, Any

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Table, fields
from tablewright.design.layouts.layouts import KEPT, LOCK, OWNER
from tablewright.dynamodb.values.attributes import AttributeValue, Item

main = Table(
    "hostile",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("thin", "status", "level", projection="KEYS_ONLY"),
    ],
    types={"level": "N"},
    stream="NEW_AND_OLD_IMAGES",
    ttl="expiresAt",
)
blobs = Table("blobs", key=("id", "rank"), types={"id": "B", "rank": "N"})


class Member(Entity, table=main, type="MEMBER"):
    member_id: str
    email: Annotated[str, fields.Unique()]
    name: str
    level: int = 1
    status: str = "active"
    pin: Annotated[str | None, fields.Encrypted()] = None
    keys = Keys(primary=("MEMBER#{member_id}", "PROFILE"), GSI1=("STATUS#{status}", "MEMBER#{member_id}"))
    listing = Copy(primary=("MEMBERS", "{member_id}"), type="LISTED")


class Note(Entity, table=main, type="NOTE"):
    member_id: str
    note_id: str
    text: str = ""
    keys = Keys(primary=("MEMBER#{member_id}", "NOTE#{note_id}"))


class Blob(Entity, table=blobs):
    id: bytes
    rank: int
    content: bytes = b""


class MemberById(Get[Member]):
    member_id: str


class NotesOfMember(Query[Note]):
    member_id: str
    key = "PK = MEMBER#{member_id} AND begins_with(SK, NOTE#)"


design = Design("hostile", entities=[Member, Note, Blob], patterns=[MemberById, NotesOfMember])


def fill(db: Any, prefix: str) -> None:
    """Write a member with a note, and the items of other programs."""
    db.create(Member(member_id="m1", email="m1@x", name="Ada", pin="1234"))
    db.create(Note(member_id="m1", note_id="1"))
    db.create(Blob(id=b"\x00\xff", rank=7, content=b"\xfe"))
    for item in hostile_items():
        db.connection.call("PutItem", {"TableName": f"{prefix}hostile", "Item": item})
    for item in hostile_blobs():
        db.connection.call("PutItem", {"TableName": f"{prefix}blobs", "Item": item})


def hostile_items() -> Iterator[Item]:
    """Return items that look like entities, copies and locks, and are none."""
    typed: Item = {"type": {"S": "MEMBER"}}
    huge = {"N": "9.9999999999999999999999999999999999999E+125"}
    contents: list[Item] = [
        {},
        {"type": {"N": "5"}},
        typed | {"name": {"N": "1"}, "email": {"SS": ["a"]}, "level": {"N": "2"}, "status": {"S": "s"}},
        typed | {"level": huge, "status": {"S": "s"}, "expiresAt": {"N": "9" * 38}},
        typed | {"expiresAt": {"S": "x"}, "a": {"S": ""}, "b": {"B": b""}, "deep": _nested(30)},
        typed | {"pin": {"S": "plain"}, "name": {"S": "n"}, "email": {"S": "e"}},
    ]
    for number, content in enumerate(contents):
        yield {"PK": {"S": f"MEMBER#h{number}"}, "SK": {"S": "PROFILE"}, **content}
    yield {
        "PK": {"S": "MEMBER#h7"},
        "SK": {"S": "NOTE#1"},
        "type": {"S": "NOTE"},
        "text": {"S": "y" * 390_000},
    }
    yield {"PK": {"S": "#"}, "SK": {"S": "\u202e<script>alert(1)</script>\x00"}, "type": {"M": {}}}
    for text in (LOCK, f"{LOCK}#", f"{LOCK}#MEMBER#email#x"):
        yield {"PK": {"S": text}, "SK": {"S": LOCK}}
    marks: list[AttributeValue] = [
        {"S": "x"},
        {"M": {}},
        {"L": []},
        {"M": {"PK": {"M": {}}, "SK": {"S": "PROFILE"}}},
        {"M": {"PK": {"S": ""}, "SK": {"S": "PROFILE"}}},
        {"M": {"PK": {"S": "x" * 5000}, "SK": {"N": "1"}}},
    ]
    for number, mark in enumerate(marks):
        yield {"PK": {"S": f"{LOCK}#MEMBER#email#{number}"}, "SK": {"S": LOCK}, OWNER: mark}
        yield {"PK": {"S": "MEMBERS"}, "SK": {"S": f"o{number}"}, OWNER: mark, "type": {"S": "LISTED"}}
        owner = {OWNER: {"M": {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "PROFILE"}}}}
        yield {
            "PK": {"S": "MEMBERS"},
            "SK": {"S": f"k{number}"},
            **owner,
            KEPT: mark,
            "type": {"S": "LISTED"},
        }


def hostile_blobs() -> Iterator[Item]:
    """Return items with the longest and the largest keys."""
    yield {"id": {"B": b"\xff" * 2048}, "rank": {"N": "-9.9999999999999999999999999999999999999E+125"}}
    yield {"id": {"B": b"x"}, "rank": {"N": "1.5"}, "content": {"S": "text"}}


def _nested(depth: int) -> Any:
    value: Any = {"S": "x"}
    for number in range(depth):
        value = {"M": {"a": value}} if number % 2 else {"L": [value]}
    return value
