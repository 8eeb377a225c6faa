"""The endpoints of operations: what they need, and what a read-only console rejects."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.connections import Connection
from tablewright.console.api.operations_view import ROUTES
from tests.console.operations.music_console import NOW, music_client
from tests.console.sample_console import console_client


class Elsewhere:
    """A connection that is not the embedded engine."""

    def __init__(self, connection: Connection) -> None:
        self.call = connection.call
        self.close = connection.close


def test_the_tables_are_described() -> None:
    with music_client(albums=2) as console:
        found = console.get("/operations")
    table = found["tables"][0]
    assert (table["name"], table["status"], table["items"], table["ttl"]) == ("music", "ACTIVE", 6, None)
    assert not table["recovery"]["enabled"]
    assert not found["transfers"]["available"]
    assert found["engine"]["clock"] == {"now": NOW, "frozen": True}


@pytest.mark.parametrize("path", [route.path for route in ROUTES if route.writes])
def test_a_read_only_console_changes_nothing(path: str) -> None:
    with music_client(albums=0, writable=False) as console:
        status, message = console.error("POST", path, {})
    assert (status, "--write" in message) == (403, True)


def test_a_backup_is_made_restored_and_deleted() -> None:
    with music_client(albums=1) as console:
        task = console.post("/backups/create", {"table": "music", "name": "first"})
        console.opened.tasks.wait(task["id"])
        (backup,) = console.get("/backups")["backups"]
        restored = console.post("/backups/restore", {"arn": backup["arn"], "into": "music-first"})
        console.opened.tasks.wait(restored["id"])
        wrong = console.error("POST", "/backups/delete", {"arn": backup["arn"], "confirm": "music"})
        left = console.post("/backups/delete", {"arn": backup["arn"], "confirm": "first"})
        tables = console.opened.db.connection.call("ListTables", {})["TableNames"]
    assert (wrong[0], "type its name first" in wrong[1]) == (400, True)
    assert left["backups"] == []
    assert "music-first" in tables


def test_wrong_names_are_errors_with_the_field() -> None:
    with music_client(albums=0) as console:
        body: dict[str, Any] = {"arn": "x", "into": "no/such name"}
        reply = console.http.post(console.prefix + "/backups/restore", json=body)
        unknown = console.error("POST", "/backups/create", {"table": "absent"})
    assert (reply.status_code, list(reply.json()["error"]["fields"])) == (422, ["into"])
    assert (unknown[0], "has no table absent" in unknown[1]) == (400, True)


def test_exports_and_recovery(tmp_path: Path) -> None:
    with music_client(albums=1, path=tmp_path / "music.db") as console:
        needs = console.error("POST", "/exports/start", {"table": "music", "bucket": "archive"})
        assert console.post("/recovery", {"table": "music", "enabled": True})["enabled"]
        task = console.post("/exports/start", {"table": "music", "bucket": "archive"})
        console.opened.tasks.wait(task["id"])
        found = console.get("/exports")
        off = console.error("POST", "/recovery", {"table": "music", "enabled": False})
    assert "turn it on first" in needs[1]
    assert [export["items"] for export in found["exports"]] == [3]
    assert "type the name music" in off[1]


def test_migrations_are_run_and_described() -> None:
    with music_client(albums=2, writable=True) as console:
        dry = console.opened.tasks.wait(console.post("/migrations/dry-run")["id"])
        run = console.opened.tasks.wait(console.post("/migrations/run", {"to": "1-prices"})["id"])
        migrations = console.get("/migrations")["migrations"]
        rejects = console.get("/migrations/rejects", name="1-prices")
        retried = console.opened.tasks.wait(console.post("/migrations/retry", {"name": "1-prices"})["id"])
    assert (dry.result["dry_run"], run.result["dry_run"]) == (True, False)
    assert [migration["status"] for migration in migrations] == ["applied", "pending"]
    assert (rejects, retried.result["left"]) == ({"total": 0, "rejects": []}, 0)


def test_a_read_only_console_makes_dry_runs() -> None:
    with music_client(albums=1, writable=False) as console:
        ended = console.opened.tasks.wait(console.post("/migrations/dry-run")["id"])
    assert (ended.state, len(ended.result["results"])) == ("done", 2)


def test_the_switches_of_the_engine() -> None:
    with music_client(albums=0) as console:
        on = console.post("/engine/faults", {"throttling": 0.25})
        off = console.post("/engine/faults", {})
        moved = console.post("/engine/clock", {"advance": 60})
        back = console.error("POST", "/engine/clock", {"advance": -60})
        assert console.post("/expiry/sweep") == {"deleted": 0}
        assert console.get("/expiry", table="music")["attribute"] is None
        assert console.get("/engine")["clock"]["now"] == NOW + 60
    assert (on["are_faults_on"], off["are_faults_on"]) == (True, False)
    assert moved["clock"]["now"] == NOW + 60
    assert back[0] == 422


def test_other_endpoints_say_that_the_switches_need_the_embedded_engine() -> None:
    with console_client("boards", samples=0) as console:
        console.opened.db.connection = Elsewhere(console.opened.db.connection)
        found = console.get("/engine")
        faults = console.error("POST", "/engine/faults", {"throttling": 1})
        swept = console.error("POST", "/expiry/sweep")
    assert (found["available"], "embedded engine only" in found["why"]) == (False, True)
    assert (faults[0], faults[1]) == (400, found["why"])
    assert "only the embedded engine" in swept[1]
