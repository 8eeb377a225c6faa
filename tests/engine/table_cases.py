"""Case files of the control plane: requests run from top to bottom, each with its reply.

    create artist song | artist:S song:N        -> ok            a table made and deleted again
    create p | p:S + gsi by-x x | {"..."}       -> Code: words   with an index, with further members
    table music: artist | artist:S                               a table that stays
    UpdateTable {"TableName": "music", ...}     -> ok            any request

A table is written as its keys, `|`, its attribute definitions, and its indexes (`+ gsi name keys projection`). The
first key is HASH and the others are RANGE, unless they say otherwise (`x:HASH`). Tables are billed by request,
unless they say otherwise.
"""

from typing import Any

import orjson

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tests.golden import CASES

ARROW = " -> "


def play(name: str, database: Database, *, update: bool) -> None:
    """Run a file and compare the replies, or write them into the file."""
    path = CASES / "engine" / name
    lines = path.read_text(encoding="utf-8").splitlines()
    played = [_play_line(database, line) for line in lines]
    if update:
        path.write_text("\n".join(played) + "\n", encoding="utf-8")
        return
    wrong = [
        f"{name}:{number}: {now}"
        for number, (now, line) in enumerate(zip(played, lines, strict=True), 1)
        if now != line
    ]
    assert not wrong, "current replies:\n" + "\n".join(wrong)


def _play_line(database: Database, line: str) -> str:
    word, _, rest = line.partition(" ")
    if not line or word == "#":
        return line
    if word == "table":
        title, _, notation = rest.partition(":")
        database.call("CreateTable", request_of(title, notation.strip()))
        return line
    question = rest.split(ARROW)[0]
    if word == "create":
        reply = outcome_of(database, "CreateTable", request_of("music", question))
        if reply == "ok":
            database.call("DeleteTable", {"TableName": "music"})
    else:
        reply = outcome_of(database, word, orjson.loads(question))
    return f"{word} {question}{ARROW}{reply}"


def outcome_of(database: Database, operation: str, request: dict[str, Any]) -> str:
    """`ok`, or the error."""
    try:
        database.call(operation, request)
    except ServiceError as error:
        return f"{error.code}: {error.message}"
    return "ok"


def request_of(name: str, notation: str) -> dict[str, Any]:
    """The CreateTable request of a notation."""
    text, brace, members = notation.partition("{")
    head, *indexes = text.split(" + ")
    keys, _, definitions = head.partition("|")
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": keys_of(keys.split()),
        "AttributeDefinitions": [
            dict(zip(("AttributeName", "AttributeType"), each.split(":"), strict=True))
            for each in definitions.split()
        ],
    }
    for index in indexes:
        kind, *rest = index.replace("|", "").split()
        member = "GlobalSecondaryIndexes" if kind == "gsi" else "LocalSecondaryIndexes"
        request.setdefault(member, []).append(index_of(*rest))
    given = orjson.loads(brace + members) if brace else {}
    return {name: value for name, value in {**request, **given}.items() if value is not None}


def index_of(name: str, *words: str) -> dict[str, Any]:
    """An index: its keys, and its projection, ALL by default."""
    keys = [word for word in words if not word.partition("=")[0].isupper()]
    projection: dict[str, Any] = {"ProjectionType": "ALL"}
    for word in words[len(keys) :]:
        kind, _, names = word.partition("=")
        projection = {"ProjectionType": kind, **({"NonKeyAttributes": names.split(",")} if names else {})}
    return {"IndexName": name, "KeySchema": keys_of(keys), "Projection": projection}


def keys_of(words: list[str]) -> list[dict[str, str]]:
    """A key schema: the first is HASH, the others RANGE, unless they say otherwise."""
    keys = []
    for position, word in enumerate(words):
        name, _, kind = word.partition(":")
        keys.append({"AttributeName": name, "KeyType": kind or ("RANGE" if position else "HASH")})
    return keys
