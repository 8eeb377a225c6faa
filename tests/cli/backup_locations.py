"""Locations with a table, for backups, restores, exports and imports: a data file, and a server."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablewright import embedded
from tablewright.access.connect import open_location
from tablewright.cli import main
from tablewright.connections import Connection

KEYS: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "team", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-team",
            "KeySchema": [{"AttributeName": "team", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}

# boto3 takes long to create a client.
_remote = cache(open_location)


@dataclass(frozen=True)
class BackupLocation:
    """A location for `--on`, and the directory of its buckets."""

    where: str
    buckets: Path

    @property
    def on(self) -> tuple[str, str]:
        return "--on", self.where

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Connect to the server, or open the file and close it again."""
        if self.where.startswith("http"):
            yield _remote(self.where)
        else:
            with embedded(self.where) as db:
                yield db

    def reset(self) -> None:
        """Leave only the table Users with two items, and an empty bucket named archive."""
        with self.connected() as db:
            for name in db.call("ListTables", {})["TableNames"]:
                db.call("DeleteTable", {"TableName": name})
            create(db, "Users")
            for key in ("ada", "bob"):
                item = {"id": {"S": key}, "team": {"S": "red"}}
                db.call("PutItem", {"TableName": "Users", "Item": item})
        (self.buckets / "archive").mkdir(parents=True, exist_ok=True)

    def scan(self, table: str, **request: Any) -> list[str]:
        with self.connected() as db:
            items = db.call("Scan", {"TableName": table, **request})["Items"]
        return sorted(item["id"]["S"] for item in items)


def create(db: Connection, name: str) -> None:
    db.call("CreateTable", {"TableName": name, **KEYS})


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command with --json, and return what it prints."""
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)
