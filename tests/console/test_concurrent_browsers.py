"""Two browsers that do the same at the same time: one wins, the other gets a clear conflict, and nothing is lost.

Both have read and planned before one of them writes: a barrier in front of the first write ensures it.
"""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from tests.access.streams.goals import START, GoalById
from tests.console.changes.test_item_restores import GOAL, PLAN, RESTORE, make_and_change
from tests.console.goals_console import goals_console
from tests.console.sample_console import ConsoleClient
from tests.console.shop import CustomerById, Order, open_shop

ADA = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "PROFILE"}}


@pytest.fixture
def console() -> Iterator[ConsoleClient]:
    opened = open_shop()
    yield ConsoleClient(opened)
    opened.close()


@contextmanager
def meeting(console: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Barrier]:
    """Let the first write of each of two threads wait for that of the other."""
    barrier = threading.Barrier(2)
    connection = console.opened.db.connection
    call, own = connection.call, threading.local()

    def waiting(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in ("TransactWriteItems", "DeleteItem", "PutItem") and not hasattr(own, "met"):
            own.met = True
            barrier.wait(30)
            met.append(operation)
        return call(operation, request)

    met: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(connection, "call", waiting)
        yield barrier
    assert len(met) == 2, "both wrote after both had read"


def both(console: ConsoleClient, path: str, body: Any) -> list[Any]:
    """Send a request from two browsers; return the replies, successes first."""
    clients = [ConsoleClient(console.opened) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        sent = [pool.submit(client.http.post, console.prefix + path, json=body) for client in clients]
        return sorted((each.result() for each in sent), key=lambda reply: reply.status_code)


def edit(console: ConsoleClient, **values: Any) -> dict[str, Any]:
    found = console.get("/edit/item", table="shop", key=json.dumps(ADA))
    return {
        "kind": "update",
        "table": "shop",
        "key": ADA,
        "fingerprint": found["fingerprint"],
        "values": values,
    }


def level_and_version(console: ConsoleClient) -> tuple[int, int]:
    found = console.opened.db.run(CustomerById(customer_id="c1"))
    assert found is not None
    return found.level, found.version


def test_the_same_edits_are_saved_once(console: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"edits": [edit(console, level=7)]}
    before = level_and_version(console)
    with meeting(console, monkeypatch):
        won, lost = both(console, "/edit/commit", body)
    assert (won.status_code, lost.status_code) == (200, 409), lost.text
    assert "nothing was saved" in lost.json()["error"]["message"]
    assert level_and_version(console) == (7, before[1] + 1)


def test_a_change_is_undone_once(console: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> None:
    done = console.post("/edit/commit", {"edits": [edit(console, level=7)]})
    version = level_and_version(console)[1]
    with meeting(console, monkeypatch):
        won, lost = both(console, "/edit/undo", {"undo": done["undo"]})
    assert (won.status_code, lost.status_code) == (200, 409), lost.text
    assert level_and_version(console) == (0, version + 1)
    assert console.error("POST", "/edit/undo", {"undo": done["undo"]})[0] == 400


def test_a_finding_is_repaired_once(console: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> None:
    order, copy = {"PK": ADA["PK"], "SK": {"S": "ORDER#o1"}}, {"PK": {"S": "ORDERS"}, "SK": {"S": "o1"}}
    console.opened.db.connection.call("DeleteItem", {"TableName": "shop", "Key": order})
    run = console.post("/health/fsck/start")["run"]
    console.opened.tasks.wait(run)
    (finding,) = console.get("/health/fsck")["findings"]
    body: dict[str, Any] = {"run": run, "findings": [finding["number"]]}
    body |= {"digest": console.post("/health/fsck/preview", body)["digest"], "confirm": "shop"}
    with meeting(console, monkeypatch):
        replies = both(console, "/health/fsck/repair", body)
    assert [reply.status_code for reply in replies] == [200, 200], [reply.text for reply in replies]
    assert sorted(len(reply.json()["repaired"]) for reply in replies) == [0, 1]
    assert "Item" not in console.opened.db.connection.call("GetItem", {"TableName": "shop", "Key": copy})


def test_an_item_is_restored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with goals_console(recovery=True) as console:
        make_and_change(console)
        body: dict[str, Any] = {**GOAL, "at": START + 10}
        body["expected"] = console.post(PLAN, body)["expected"]
        with meeting(console, monkeypatch):
            won, lost = both(console, RESTORE, body)
        assert (won.status_code, lost.status_code) == (200, 409), lost.text
        found = console.opened.db.run(GoalById(goal_id="g1"))
        assert found is not None
        assert found.title == "title 1"


def test_each_item_is_deleted_by_one_of_two_bulk_deletes(
    console: ConsoleClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        console.opened.db.create(Order(customer_id="c2", order_id=f"n{number}", status="open", total=1))
    key = {"KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "CUSTOMER#c2"}}}
    body = {"operation": "Query", "request": {"TableName": "shop", **key}, "confirm": "shop", "most": 8}
    with meeting(console, monkeypatch):
        replies = [reply.json() for reply in both(console, "/query/bulk/delete", body)]
    assert sum(reply["changed"] for reply in replies) == 8, replies
    assert console.post("/query/run", _query(body))["rows"] == []
    left = console.opened.db.connection.call("Scan", {"TableName": "shop"})["Items"]
    assert not [item for item in left if item["SK"]["S"].startswith("n")], "copies are deleted too"


def _query(body: dict[str, Any]) -> dict[str, Any]:
    return {"operation": body["operation"], "request": body["request"]}
