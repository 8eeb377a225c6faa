"""The database: one entrance for every request, in its Python, JSON and staged forms."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

import tablewright
from tablewright.engine.database import Database, Staging, failed
from tablewright.engine.storage import open_store
from tablewright.errors import (
    ConditionalCheckFailed,
    InternalFailure,
    StoreError,
    StoreFull,
    UnknownOperation,
)
from tests.engine.core.operations.music_table import CREATE_MUSIC, artists, item, open_music, put


@pytest.fixture
def db() -> Iterator[Database]:
    with open_music() as database:
        yield database


def test_every_form_of_a_call_gives_the_same_reply(db: Database) -> None:
    db.call("PutItem", {"TableName": "music", "Item": {**item("nina"), "cover": {"B": b"\x00"}}})
    request = {"TableName": "music", "Key": item("nina")}
    body = orjson.dumps(request)
    wire = b'{"Item":{"artist":{"S":"nina"},"cover":{"B":"AA=="}}}'
    assert db.call_json("GetItem", body) == (200, wire)
    assert db.stage_json("GetItem", body) == (200, wire, None)
    assert db.call("GetItem", request) == {"Item": {**item("nina"), "cover": {"B": b"\x00"}}}
    assert db.execute("GetItem", request)["Item"].raw == orjson.dumps(orjson.loads(wire)["Item"])


def test_an_error_is_raised_in_python_and_a_status_in_json(db: Database) -> None:
    with pytest.raises(UnknownOperation):
        db.call("Nonsense", {})
    status, body = db.call_json("Nonsense", b"{}")
    assert status == 400
    assert orjson.loads(body)["__type"].endswith("#UnknownOperationException")


def test_the_item_of_a_failed_condition_is_decoded(db: Database) -> None:
    db.call("PutItem", {"TableName": "music", "Item": {**item("nina"), "cover": {"B": b"\x00"}}})
    request = {
        "TableName": "music",
        "Item": item("nina"),
        "ConditionExpression": "attribute_not_exists(artist)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    with pytest.raises(ConditionalCheckFailed) as caught:
        db.call("PutItem", request)
    assert caught.value.item == {**item("nina"), "cover": {"B": b"\x00"}}


def test_a_write_in_turn_happens_inside_of_the_turn(db: Database) -> None:
    events: list[str] = []

    @contextmanager
    def turn() -> Iterator[None]:
        events.append(f"begin {artists(db)}")
        yield
        events.append(f"end {artists(db)}")

    body = orjson.dumps({"TableName": "music", "Item": item("nina")})
    assert db.call_json_in_turn("PutItem", body, turn) == (200, b"{}")
    assert events == ["begin []", "end ['nina']"]
    db.call_json_in_turn("ListTables", b"{}", turn)
    assert len(events) == 2, "a read takes no turn"


def test_a_bug_is_an_internal_failure_and_is_logged(
    db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(db.sessions, "reading", fail)
    with pytest.raises(InternalFailure):
        db.call("ListTables", {})
    assert "ListTables failed" in caplog.text


def test_a_closed_database_rejects_calls_and_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    db = Database(open_store(tmp_path / "data.db"))
    assert db.path == tmp_path / "data.db"
    assert db.bucket_directory == tmp_path / "data.db.buckets"
    db.call("CreateTable", CREATE_MUSIC)
    put(db, "nina")
    db.close()
    with pytest.raises(StoreError, match="is closed"):
        put(db, "ella")
    assert set(threading.enumerate()) <= before


def test_other_packages_use_only_the_calls_of_the_database() -> None:
    """State, sessions and jobs belong to the engine; the server, connections and commands call requests."""
    package = Path(tablewright.__file__).parent
    inside = re.compile(r"\bdatabase\.(state|sessions|jobs|_[a-z]+)\b")
    found = [
        f"{path.relative_to(package)}: {match[0]}"
        for path in package.rglob("*.py")
        if not path.is_relative_to(package / "engine")
        for match in inside.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


PUT = orjson.dumps({"TableName": "music", "Item": item("nina")})


def opened(tmp_path: Path) -> Database:
    db = Database(open_store(tmp_path / "data.db"))
    db.call("CreateTable", CREATE_MUSIC)
    return db


def test_a_staged_write_is_visible_after_the_flush(tmp_path: Path) -> None:
    db = opened(tmp_path)
    staged = db.stage_json("PutItem", PUT)
    assert staged.group is not None
    assert artists(db) == []
    db.flush()
    assert artists(db) == ["nina"]
    assert staged.settled() == (200, b"{}")
    db.close()


def test_a_read_needs_no_group(tmp_path: Path) -> None:
    db = opened(tmp_path)
    assert db.stage_json("ListTables", b"{}") == (200, b'{"TableNames":["music"]}', None)
    db.close()


def test_a_failed_commit_is_an_internal_error_for_every_reply_of_the_group(tmp_path: Path) -> None:
    db = opened(tmp_path)
    replies = [db.stage_json("PutItem", PUT) for _ in range(2)]
    (group,) = {reply.group for reply in replies}
    assert group is not None
    group.settle(StoreFull("no disk space left for /srv/data.db"))
    for reply in replies:
        status, body = reply.settled()
        assert status == 500
        assert b"The disk of the server is full" in body
    db.close()


def test_clients_do_not_see_paths_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    status, body = failed(StoreError("/srv/data.db is damaged; restore it from a backup"))
    assert status == 500
    assert b"/srv" not in body
    assert b"the log of the server says why" in body
    assert "/srv/data.db is damaged" in caplog.text


def test_staging_keeps_the_result_of_the_work() -> None:
    store = open_store()
    staging = Staging(store)
    assert staging.group is None
    assert staging.write(lambda rows: {"done": True}) == {"done": True}
    assert staging.group is not None
    store.close()
