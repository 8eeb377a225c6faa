"""Backups as people make them: on a data file, and at a server."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablewright import embedded
from tablewright.access.connect import open_place
from tablewright.cli import job_wait, main
from tablewright.cli.output import Progress
from tablewright.connections import Connection
from tests.server.processes import ServerProcess

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


# boto3 takes long to make a client.
remote = cache(open_place)


@contextmanager
def connected(where: str) -> Iterator[Connection]:
    """A connection to a server that stays open, or to a file that is let go."""
    if where.startswith("http"):
        yield remote(where)
    else:
        with embedded(where) as db:
            yield db


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server, and its buckets."""
    buckets = tmp_path_factory.mktemp("buckets")
    with ServerProcess("--memory", "--buckets", str(buckets)) as process:
        yield process.url, buckets


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path, server: tuple[str, Path]) -> tuple[str, Path]:
    """A place with the table Users, and its buckets."""
    path = tmp_path / "app.db"
    where, buckets = (str(path), tmp_path / "app.db.buckets") if request.param == "file" else server
    with connected(where) as db:
        for name in db.call("ListTables", {})["TableNames"]:
            db.call("DeleteTable", {"TableName": name})
        create(db, "Users")
        for key in ("ada", "bob"):
            db.call("PutItem", {"TableName": "Users", "Item": {"id": {"S": key}, "team": {"S": "red"}}})
    (buckets / "archive").mkdir(parents=True, exist_ok=True)
    return where, buckets


def create(db: Connection, name: str) -> None:
    db.call("CreateTable", {"TableName": name, **KEYS})


def scan(where: str, table: str, **request: Any) -> list[str]:
    with connected(where) as db:
        return sorted(item["id"]["S"] for item in db.call("Scan", {"TableName": table, **request})["Items"])


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_back_up_and_restore(place: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    on = ("--on", place[0])
    (made,) = told(capsys, "backup", "--table", "Users", "--name", "before", *on)
    assert (made["BackupStatus"], made["BackupName"]) == ("AVAILABLE", "before")
    assert main(["backup", "--list", *on]) == 0
    assert made["BackupArn"] in capsys.readouterr().out
    assert main(["restore", "--backup", "before", "--into", "Restored", *on]) == 0
    assert capsys.readouterr().out.startswith("Restored is there: ")
    assert scan(place[0], "Restored") == scan(place[0], "Restored", IndexName="by-team") == ["ada", "bob"]
    (gone,) = told(capsys, "backup", "--delete", made["BackupArn"], *on)
    assert gone["BackupStatus"] == "DELETED"
    assert main(["restore", "--backup", "before", "--into", "Again", *on]) == 2
    assert "there is no backup named before" in capsys.readouterr().err


def test_every_table_at_once(place: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    with connected(place[0]) as db:
        create(db, "Orders")
    made = told(capsys, "backup", "--all", "--on", place[0])
    assert [backup["BackupName"].rpartition("-20")[0] for backup in made] == ["Orders", "Users"]


def test_restore_to_a_moment(place: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    on = ("--on", place[0])
    assert main(["restore", "--table", "Users", "--to", "latest", "--into", "Then", *on]) == 2
    assert "Point in time recovery is not enabled for table 'Users'" in capsys.readouterr().err
    on_it = {"PointInTimeRecoveryEnabled": True}
    with connected(place[0]) as db:
        request = {"TableName": "Users", "PointInTimeRecoverySpecification": on_it}
        db.call("UpdateContinuousBackups", request)
    told(capsys, "restore", "--table", "Users", "--to", "latest", "--into", "Then", *on)
    assert scan(place[0], "Then") == ["ada", "bob"]
    assert main(["restore", "--table", "Users", "--to", "2001-01-01T00:00:00", "--into", "Never", *on]) == 2
    assert "must be within EarliestRestorableDateTime" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["json", "ion"])
def test_export_and_import(place: tuple[str, Path], form: str, capsys: pytest.CaptureFixture[str]) -> None:
    on = ("--on", place[0])
    asked = ("--table", "Users", "--bucket", "archive", "--format", form, *on)
    assert main(["export", *asked]) == 2
    assert "switch it on with --enable-recovery" in capsys.readouterr().err
    ended = told(capsys, "export", *asked, "--enable-recovery", "--key-prefix", f"of/{form}")
    assert (place[1] / "archive" / ended["ExportManifest"]).exists()
    data = ended["ExportManifest"].replace("manifest-summary.json", "data/")
    source = ("--bucket", "archive", "--key-prefix", data, "--format", form, "--compression", "gzip")
    imported = told(capsys, "import", *source, "--into", "Copy", "--like", "Users", *on)
    assert (imported["ImportStatus"], imported["ImportedItemCount"]) == ("COMPLETED", 2)
    assert scan(place[0], "Copy", IndexName="by-team") == ["ada", "bob"]


def test_import_csv(place: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    where, buckets = place
    (buckets / "archive" / "people.csv").write_text("id;name\n1;Ada\n2;Bob\n")
    asked = ["import", "--bucket", "archive", "--key-prefix", "people.csv", "--format", "csv", "--on", where]
    assert main([*asked, "--delimiter", ";", "--into", "People", "--key", "id:S"]) == 0
    assert capsys.readouterr().out == "People is there, with 2 items\n"
    assert scan(where, "People") == ["1", "2"]
    assert main([*asked, "--into", "Nobody", "--key", "nothing:S"]) == 1
    assert "(0 imported, 2 not)" in capsys.readouterr().out


def test_a_bucket_of_a_server_has_to_be_there(
    server: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    create(remote(server[0]), "Lonely")
    asked = ["export", "--table", "Lonely", "--bucket", "nowhere", "--enable-recovery", "--on", server[0]]
    assert main(asked) == 1
    assert "The specified bucket does not exist" in capsys.readouterr().out


def test_only_what_was_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "app.db")
    with embedded(path) as db:
        create(db, "Users")
    asked = ["export", "--table", "Users", "--bucket", "archive", "--enable-recovery", "--on", path]
    assert main([*asked, "--since", "2001-01-01T00:00:00"]) == 2
    assert "from time cannot be less than the table creation time" in capsys.readouterr().err


# (arguments, the complaint)
WRONG: list[tuple[list[str], str]] = [
    (
        ["backup", "--all", "--on", "missing.db"],
        "missing.db does not exist; name a data file, http://... or aws:region",
    ),
    (["restore", "--table", "Users", "--into", "Then"], "--table and --to go together"),
    (["restore", "--backup", "b", "--to", "latest", "--into", "Then"], "--table and --to go together"),
    (
        ["restore", "--table", "Users", "--to", "yesterday", "--into", "Then"],
        "a moment is written 2026-02-18T14:25:00, or in seconds since 1970, not 'yesterday'",
    ),
    (["export", "--table", "T", "--bucket", "b", "--until", "2026-01-01"], "--until goes with --since"),
    (
        ["export", "--table", "T", "--bucket", "b", "--since", "1", "--at", "2"],
        "--at is one moment and --since a period",
    ),
    (
        ["import", "--bucket", "b", "--into", "T", "--key", "id"],
        "--key is NAME:TYPE with a type of S, N or B",
    ),
    (["import", "--bucket", "b", "--into", "T", "--key", "id:S", "--delimiter", ";"], "--delimiter is for"),
    (
        ["import", "--bucket", "b", "--into", "T", "--key", "id:S", "--on", "http://x", "--buckets", "d"],
        "--buckets is for data files",
    ),
]


@pytest.mark.parametrize(("arguments", "complaint"), WRONG)
def test_what_cannot_be_run_is_told(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert complaint in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_an_empty_file_has_nothing_to_back_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "app.db")
    embedded(path).close()
    assert main(["backup", "--all", "--on", path]) == 2
    assert "holds no tables" in capsys.readouterr().err
    assert main(["backup", "--list", "--on", path]) == 0
    assert "holds no backups" in capsys.readouterr().out


def test_waiting_asks_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    answers = iter([{"is": "going"}] * 20 + [{"is": "over"}])
    with Progress(1, "thing") as progress:
        ended = job_wait.wait_for(lambda: next(answers), lambda answer: answer["is"] == "going", progress)
    assert ended == {"is": "over"}
    assert pauses == sorted(pauses)
    assert max(pauses) == job_wait.LONGEST
