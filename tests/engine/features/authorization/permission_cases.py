"""Case files of permissions: a request, and the actions and resources that its caller must be allowed.

    GetItem {"TableName": "music", ...} -> GetItem music {LeadingKeys: a; Attributes: artist; ...}

Resources are shown without `arn:aws:dynamodb:us-east-1:123456789012:table/`, condition keys without `dynamodb:`, and
keys with their usual values (no returned values or capacity) are left out.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.policies import Permission
from tablewright.engine.core.operations import find_operation
from tablewright.engine.database import Database
from tablewright.engine.features.authorization.authorizations import REQUIRED
from tablewright.engine.storage import open_store
from tests.engine.features.vectors.vector_table import vector_index
from tests.engine.table_cases import request_of
from tests.golden import CASES

TABLES = "arn:aws:dynamodb:us-east-1:123456789012:table/"
KEYS = """
    dynamodb:LeadingKeys dynamodb:SecondPartitionKeyValues dynamodb:Attributes dynamodb:Select dynamodb:ReturnValues
    dynamodb:ReturnConsumedCapacity dynamodb:EnclosingOperation dynamodb:FullTableScan aws:ResourceTag/team
    aws:RequestTag/team aws:TagKeys s3:prefix
""".split()
USUAL = {"ReturnValues: NONE", "ReturnConsumedCapacity: NONE", "Select: ALL_ATTRIBUTES"}


def database(buckets: Path | None = None) -> Database:
    """A database with the tables of the cases; its time does not pass."""
    made = Database(open_store(), Clock(1_700_000_000), buckets=buckets)
    music = request_of("music", "artist song | artist:S song:S genre:S year:N + gsi by-genre genre year")
    made.call("CreateTable", {**music, "Tags": [{"Key": "team", "Value": "blue"}]})
    made.call("CreateTable", request_of("counts", "n | n:N"))
    notes = request_of("notes", "id | id:S kind:S tenant:S")
    schema = [
        {"AttributeName": "tenant", "SearchSchemaElementType": "HASH"},
        {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"},
    ]
    made.call("CreateTable", {**notes, "VectorIndexes": [vector_index(SearchSchema=schema)]})
    return made


def needs(db: Database, operation: str, raw: dict[str, Any]) -> list[Permission | None]:
    """The permissions of a request."""
    found = find_operation(operation)
    assert found is not None
    parsed = found.parse(raw)
    return db.sessions.read(lambda tx: list(REQUIRED[operation](tx, raw, parsed)))


def play(name: str, *, update: bool) -> None:
    """Compare the permissions of a file's requests, or write them into the file."""
    path = CASES / "policies" / name
    lines = path.read_text().splitlines()
    db = database()
    played = [_play_line(db, line) for line in lines]
    if update:
        path.write_text("\n".join(played) + "\n")
    assert played == lines or update


def _play_line(db: Database, line: str) -> str:
    if not line or line.startswith("#"):
        return line
    question = line.split(" -> ")[0]
    operation, _, request = question.partition(" ")
    shown = ", ".join(_shown(need) for need in needs(db, operation, json.loads(request)))
    return f"{question} -> {shown}"


def _shown(need: Permission | None) -> str:
    if need is None:
        return "nothing"
    keys = "; ".join(_keys(need))
    resource = need.resource.removeprefix(TABLES)
    return f"{need.action.removeprefix('dynamodb:')} {resource}" + (f" {{{keys}}}" if keys else "")


def _keys(need: Permission) -> Iterator[str]:
    for key in KEYS:
        values = need.context.values(key)
        shown = f"{key.removeprefix('dynamodb:')}: {', '.join(values or ())}"
        if values is not None and shown not in USUAL:
            yield shown
