"""Every view of the console on an endpoint with items that other programs wrote: no reply has status 500.

`TABLEWRIGHT_ENDPOINT` names another server with the DynamoDB API; see tests/peers.py.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest

from tablewright import connect, keyrings
from tablewright.console.application import VIEWS, routes_of
from tablewright.console.open_designs import OpenDesign
from tablewright.dynamodb.values.attributes import base64_text
from tests.console.hostile_design import design, fill
from tests.console.sample_console import ConsoleClient
from tests.server.processes import ServerProcess


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if given := os.environ.get("TABLEWRIGHT_ENDPOINT"):
        yield given
        return
    with ServerProcess("--memory") as process:
        yield process.url


@contextmanager
def hostile_console(url: str) -> Iterator[ConsoleClient]:
    """Open a console of new tables with items of other programs."""
    prefix = f"t{uuid4().hex[:8]}-"
    db: Any = connect(design, url, create=True, secrets=keyrings.MemoryKeys(), prefix=prefix)
    fill(db, prefix)
    opened = OpenDesign(db, "Hostile", url, "tests.console.hostile_design:design", True)
    yield ConsoleClient(opened)
    opened.close()


@pytest.fixture(scope="module")
def console(url: str) -> Iterator[ConsoleClient]:
    with hostile_console(url) as opened:
        yield opened


@pytest.fixture
def own_console(url: str) -> Iterator[ConsoleClient]:
    with hostile_console(url) as opened:
        yield opened


def send(console: ConsoleClient, method: str, path: str, body: Any = None, **parameters: Any) -> Any:
    """Return a reply, which is JSON with a message if it is an error, and never an error of the console."""
    reply = console.http.request(method, console.prefix + path, json=body, params=parameters)
    assert reply.status_code < 500, (path, body, parameters, reply.text)
    found = reply.json()
    assert reply.status_code == 200 or found["error"]["message"].strip(), path
    return found


def tables(console: ConsoleClient) -> list[str]:
    return [name for name, table in console.opened.tables.items() if table is not design.key_table]


def keys(console: ConsoleClient, name: str) -> Iterator[str]:
    table = console.opened.table(name)
    items = console.opened.db.connection.call("Scan", {"TableName": name})["Items"]
    for item in items:
        yield json.dumps({part: item[part] for part in table.key}, default=base64_text)


def test_endpoint_lists_of_every_view(console: ConsoleClient) -> None:
    paths = [route.path for view in VIEWS for route in routes_of(view) if route.method == "GET"]
    for path in paths:
        if "{" not in path:
            send(console, "GET", path)
            for name in tables(console):
                send(console, "GET", path, table=name, entity="Member", operation="Scan", name="x")
    for name in tables(console):
        send(console, "GET", f"/streams/{name}")
        send(console, "GET", f"/streams/{name}/records", start="oldest")
        send(console, "GET", f"/time/{name}/changes")
        for more in ({}, {"role": "copy"}, {"role": "lock"}, {"seen_in": "table", "limit": 100}):
            for path in ("/items/read", "/items/partitions"):
                found = send(console, "POST", path, {"table": name, **more})
                while found.get("cursor"):
                    found = send(console, "POST", path, {"table": name, **more, "cursor": found["cursor"]})


def test_endpoint_items_can_be_opened_and_edited(console: ConsoleClient) -> None:
    for name in tables(console):
        for key in keys(console, name):
            assert send(console, "GET", "/items/one", table=name, key=key)["key"] == json.loads(key)
            found = send(console, "GET", "/edit/item", table=name, key=key)
            edit = {"kind": "delete", "table": name, "key": json.loads(key)}
            preview = {"edits": [edit | {"fingerprint": found["fingerprint"]}]}
            shown = send(console, "POST", "/edit/preview", preview)
            is_dependent = found["shown"]["role"] in ("copy", "lock")
            assert is_dependent or shown["items"][0]["action"] == "delete", (key, shown)


def test_endpoint_an_invalid_item_with_secret_fields_is_edited_as_a_whole(console: ConsoleClient) -> None:
    name = tables(console)[0]
    for number in (2, 5):
        key = {"PK": {"S": f"MEMBER#h{number}"}, "SK": {"S": "PROFILE"}}
        found = send(console, "GET", "/edit/item", table=name, key=json.dumps(key))
        assert found["form"] is None
        assert found["shown"]["problem"]
        item = found["shown"]["item"] | {"note": {"S": "repaired"}}
        edit = {"kind": "replace", "table": name, "key": key, "fingerprint": found["fingerprint"]}
        assert "undo" in send(console, "POST", "/edit/commit", {"edits": [edit | {"item": item}]})
    key = {"PK": {"S": "MEMBER#h5"}, "SK": {"S": "PROFILE"}}
    stored = console.opened.db.connection.call("GetItem", {"TableName": name, "Key": key})["Item"]
    assert (stored["pin"], stored["note"]) == ({"S": "plain"}, {"S": "repaired"})


def test_endpoint_binary_values_are_kept_by_edits_and_undo(console: ConsoleClient) -> None:
    name = tables(console)[1]
    key = {"id": {"B": "eA=="}, "rank": {"N": "1.5"}}
    found = send(console, "GET", "/edit/item", table=name, key=json.dumps(key))
    edit = {"kind": "replace", "table": name, "key": key, "fingerprint": found["fingerprint"]}
    item = key | {"raw": {"B": "AP8="}, "all": {"L": [{"BS": ["/w=="]}]}}
    done = send(console, "POST", "/edit/commit", {"edits": [edit | {"item": item}]})
    stored = {"id": {"B": b"x"}, "rank": {"N": "1.5"}}
    read = {"TableName": name, "Key": stored}
    expected = stored | {"raw": {"B": b"\x00\xff"}, "all": {"L": [{"BS": [b"\xff"]}]}}
    assert console.opened.db.connection.call("GetItem", read)["Item"] == expected
    send(console, "POST", "/edit/undo", {"undo": done["undo"]})
    assert console.opened.db.connection.call("GetItem", read)["Item"] == stored | {"content": {"S": "text"}}


def test_endpoint_queries_patterns_and_operations(console: ConsoleClient) -> None:
    name = tables(console)[0]
    key = {"PK": {"S": "none"}, "SK": {"S": "none"}}
    statement = f"""SELECT * FROM "{name}" WHERE "PK" = 'none' AND "SK" = 'none'"""
    for operation, request in (
        ("Scan", {"TableName": name}),
        ("Scan", {"TableName": name, "FilterExpression": 5}),
        ("GetItem", {"TableName": name, "Key": 5}),
        ("PutItem", {"TableName": name, "Item": None}),
        ("ExecuteStatement", {"Statement": f'SELECT * FROM "{name}"'}),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": statement}]}),
        ("BatchExecuteStatement", {"Statements": [{"Statement": statement}]}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": name, "Key": key}}]}),
    ):
        query = {"operation": operation, "request": request}
        send(console, "POST", "/query/run", query)
        send(console, "POST", "/query/bulk/count", query)
        send(console, "POST", "/query/export", query | {"format": "csv"})
    for pattern in design.patterns:
        send(console, "GET", f"/patterns/{pattern.__name__}/example")
        for member in ("m1", "h2", "h5", ""):
            parameters = {"parameters": {"member_id": member}}
            send(console, "POST", f"/patterns/{pattern.__name__}/run", parameters)
    for path in ("/migrations/dry-run", "/migrations/run", "/backups/create", "/recovery", "/exports/start"):
        send(console, "POST", path, {"table": name, "enabled": True, "bucket": "b"})


def test_endpoint_repairs_and_bulk_changes(own_console: ConsoleClient) -> None:
    name = tables(own_console)[0]
    run = send(own_console, "POST", "/health/fsck/start", {})["run"]
    assert own_console.opened.tasks.wait(run).error is None
    findings = send(own_console, "GET", "/health/fsck", limit=1000)["findings"]
    repairable = [finding["number"] for finding in findings if finding["repair"]]
    assert repairable
    for number in repairable:
        preview = send(own_console, "POST", "/health/fsck/preview", {"run": run, "findings": [number]})
        repair = {"run": run, "findings": [number], "digest": preview.get("digest", "")}
        send(own_console, "POST", "/health/fsck/repair", repair)
    query = {"operation": "Scan", "request": {"TableName": name}, "confirm": name, "most": 1000}
    send(own_console, "POST", "/query/bulk/edit", query | {"entity": "Member", "set": {"name": "x"}})
    deleted = send(own_console, "POST", "/query/bulk/delete", query)
    assert deleted["changed"] > 5
