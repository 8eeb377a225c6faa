"""Health: findings, drift, and integrity checks with repairs."""

import threading
from typing import Any

import pytest

from tests.console.sample_console import ConsoleClient, console_client


def _checked(console: ConsoleClient) -> Any:
    started = console.post("/health/fsck/start")
    console.opened.tasks.wait(started["run"])
    return console.get("/health/fsck")


def _damage(console: ConsoleClient) -> None:
    """Delete the lock of a user name."""
    connection, table = console.opened.db.connection, next(iter(console.opened.tables))
    items = connection.call("Scan", {"TableName": table})["Items"]
    lock = next(item for item in items if item["PK"]["S"].startswith("USERNAME#"))
    connection.call("DeleteItem", {"TableName": table, "Key": {name: lock[name] for name in ("PK", "SK")}})


def test_findings_have_their_rule_and_source() -> None:
    with console_client("boards", samples=0) as console:
        found = console.get("/health/check")
    assert found["counts"]["warning"] == 1
    finding = found["rules"][0]["findings"][0]
    assert finding["source"]["file"].endswith("boards/design.py")
    assert finding["source"]["excerpt"]


def test_drift_of_a_deployed_design() -> None:
    with console_client("boards", samples=0) as console:
        assert console.get("/health/drift")["state"] == "same"
        name = next(iter(console.opened.tables))
        console.opened.db.connection.call("DeleteTable", {"TableName": name})
        found = console.get("/health/drift")
    assert (found["state"], found["different"]) == ("different", 1)
    assert found["tables"][0]["settings"][0]["state"] == "missing"


def test_a_problem_is_found_previewed_and_repaired() -> None:
    with console_client("boards", samples=1) as console:
        assert console.get("/health/fsck")["state"] == "never"
        _damage(console)
        found = _checked(console)
        assert (found["state"], found["counts"]) == ("done", {"missing lock": 1})
        body = {"run": found["run"], "findings": [0]}
        shown = console.post("/health/fsck/preview", body)
        result = console.post("/health/fsck/repair", body | {"digest": shown["digest"]})
        assert result["repaired"] == [0]
        assert _checked(console)["total"] == 0


def test_a_read_only_console_previews_and_does_not_repair() -> None:
    with console_client("boards", samples=1, writable=False) as console:
        _damage(console)
        body = {"run": _checked(console)["run"], "findings": [0]}
        shown = console.post("/health/fsck/preview", body)
        status, message = console.error("POST", "/health/fsck/repair", body | {"digest": shown["digest"]})
        assert (status, "--write" in message) == (403, True)
        assert _checked(console)["total"] == 1


def test_a_repair_needs_a_preview() -> None:
    with console_client("boards", samples=1) as console:
        _damage(console)
        body = {"run": _checked(console)["run"], "findings": [0]}
        assert console.error("POST", "/health/fsck/repair", body)[0] == 422
        assert console.error("POST", "/health/fsck/repair", body | {"digest": "0"})[0] == 409
        assert _checked(console)["total"] == 1


def test_a_repair_that_deletes_an_item_needs_the_typed_name_of_the_table() -> None:
    with console_client("boards", samples=1) as console:
        table = next(iter(console.opened.tables))
        _leave_orphan(console)
        body = {"run": _checked(console)["run"], "findings": [0]}
        shown = console.post("/health/fsck/preview", body)
        body["digest"] = shown["digest"]
        for extra in ({}, {"confirm": ""}, {"confirm": "other"}):
            status, message = console.error("POST", "/health/fsck/repair", body | extra)
            assert (status, f"type the name of the table, {table}" in message) == (400, True)
        assert console.post("/health/fsck/repair", body | {"confirm": table})["repaired"] == [0]
        assert _checked(console)["total"] == 0


def _leave_orphan(console: ConsoleClient) -> None:
    """Write the lock of a user that does not exist."""
    connection, table = console.opened.db.connection, next(iter(console.opened.tables))
    items = connection.call("Scan", {"TableName": table})["Items"]
    lock = next(item for item in items if item["PK"]["S"].startswith("USERNAME#"))
    absent = lock | {"PK": {"S": "USERNAME#absent"}}
    connection.call("PutItem", {"TableName": table, "Item": absent})


def test_a_running_check_can_be_cancelled_and_runs_once() -> None:
    with console_client("boards", samples=1) as console:
        connection = console.opened.db.connection
        call, reached, go_on = connection.call, threading.Event(), threading.Event()

        def slow(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "Scan":
                reached.set()
                assert go_on.wait(10)
            reply: dict[str, Any] = call(operation, request)
            return reply

        connection.call = slow  # type: ignore[method-assign]
        started = console.post("/health/fsck/start")
        assert started["state"] == "running"
        assert reached.wait(10)
        assert "is running" in console.error("POST", "/health/fsck/start")[1]
        assert console.post("/health/fsck/cancel")["task"]["is_cancelling"]
        go_on.set()
        console.opened.tasks.wait(started["run"])
        assert console.get("/health/fsck")["state"] == "cancelled"
        assert "counts" not in console.get("/health/fsck")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/health/fsck/start", {"rate": 0}, 422),
        ("/health/fsck/start", {"speed": 1}, 422),
        ("/health/fsck/cancel", {}, 400),
        ("/health/fsck/preview", {"run": "1", "findings": [0]}, 409),
        ("/health/fsck/preview", {"run": "1", "findings": []}, 422),
        ("/health/fsck/repair", {"run": "1", "findings": list(range(101)), "digest": ""}, 422),
    ],
)
def test_wrong_requests_are_errors(path: str, body: dict[str, Any], status: int) -> None:
    with console_client("student_hub", samples=0) as console:
        assert console.error("POST", path, body)[0] == status


def test_the_start_of_a_page_is_a_number() -> None:
    with console_client("student_hub", samples=0) as console:
        assert "start is a whole number" in console.error("GET", "/health/fsck", start="-1")[1]


def test_secrets_are_hidden_in_previews() -> None:
    with console_client("listbackup", samples=1) as console:
        opened = console.opened
        name = next(each for each in opened.tables if each.endswith("oauth-tokens"))
        items = opened.db.connection.call("Scan", {"TableName": name})["Items"]
        (secret,) = {field.stored for field in _secrets(opened)} & items[0].keys() or {""}
        request = {"TableName": name, "Key": {"sourceId": items[0]["sourceId"]}}
        opened.db.connection.call("UpdateItem", request | {"UpdateExpression": "REMOVE expiryShard"})
        found = _checked(console)
        assert found["counts"] == {"stale index keys": 1}
        shown = console.post("/health/fsck/preview", {"run": found["run"], "findings": [0]})
    item = shown["previews"][0]["items"][0]
    assert item["before"][secret] == item["after"][secret] == {"HIDDEN": True}


def _secrets(opened: Any) -> Any:
    layout = next(each.layout for each in opened.design.entities if each.__name__ == "OAuthToken")
    return [layout.fields[name] for name in layout.secrets]
