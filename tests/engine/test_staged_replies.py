"""Staged replies: ready before their commit, and replaced by an error when the commit fails."""

from pathlib import Path

import orjson
import pytest

from tablewright.engine.database import Database
from tablewright.engine.staged_replies import Staging, failed
from tablewright.engine.storage import open_store
from tablewright.errors import StoreError, StoreFull
from tests.engine.core.operations.music_table import CREATE_MUSIC, artists, item

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
