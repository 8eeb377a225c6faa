"""The items view on any endpoint: over HTTP, and with `make peers` on other servers with the DynamoDB API."""

import json
import os
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tablewright import connect, keyrings
from tablewright.console.open_designs import OpenDesign
from tests.console.club_design import design, fill
from tests.console.sample_console import ConsoleClient
from tests.server.processes import ServerProcess


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if given := os.environ.get("TABLEWRIGHT_ENDPOINT"):
        yield given
        return
    with ServerProcess("--memory") as process:
        yield process.url


@pytest.fixture(scope="module")
def club(url: str) -> Iterator[ConsoleClient]:
    prefix = f"t{uuid4().hex[:8]}-"
    db: Any = connect(design, url, create=True, secrets=keyrings.MemoryKeys(), prefix=prefix)
    fill(db)
    opened = OpenDesign(db, "Club", url, "")
    table = f"{prefix}club"
    item = {"PK": {"S": "X"}, "SK": {"S": "1"}, "n": {"N": "7"}, "b": {"B": b"\x00\xff"}}
    place = {"place": {"M": {"city": {"S": "Turku"}}}}
    db.connection.call("PutItem", {"TableName": table, "Item": {**item, **place}})
    yield ConsoleClient(opened)
    db.close()


def read(console: ConsoleClient, table: str = "club", **given: Any) -> Any:
    name = next(each for each in console.opened.tables if each.endswith(table))
    return console.post("/items/read", {"table": name, **given})


def test_endpoint_pages(club: ConsoleClient) -> None:
    whole = read(club)["items"]
    first = read(club, limit=4)
    rest = read(club, limit=1000, cursor=first["cursor"])
    assert first["items"] + rest["items"] == whole
    assert len(whole) == 9
    assert len(read(club, index="open")["items"]) == 2


def test_endpoint_filters(club: ConsoleClient) -> None:
    conditions = [
        {"attribute": "n", "operator": "between", "values": ["6", "8"]},
        {"attribute": "place.city", "operator": "begins_with", "values": ["Tu"]},
    ]
    assert [row["key"]["PK"] for row in read(club, conditions=conditions)["items"]] == [{"S": "X"}]
    assert len(read(club, filter="level > 2 AND name = 'Ada'")["items"]) == 1
    assert len(read(club, entity="Task")["items"]) == 4
    assert len(read(club, role="unknown")["items"]) == 1
    sort = {"operator": "between", "values": ["1", "5"]}
    assert len(read(club, "scores", partition=["GAME#chess"], sort=sort)["items"]) == 1


def test_endpoint_indexes(club: ConsoleClient) -> None:
    rows = read(club, partition=["MEMBER#m1"], seen_in="open")["items"]
    assert [row["seen"]["state"] for row in rows] == ["absent", "present", "absent", "present"]
    (row,) = read(club, index="GSI1", partition=["STATUS#active"], seen_in="table")["items"]
    assert row["seen"]["state"] == "present"


def test_endpoint_details(club: ConsoleClient) -> None:
    name = next(table for table in club.opened.tables if table.endswith("club"))
    key = json.dumps({"PK": {"S": "MEMBER#m1"}, "SK": {"S": "TASK#t1"}})
    found = club.get("/items/one", table=name, key=key)
    assert [index["state"] for index in found["indexes"]] == ["absent", "present", "absent"]
    assert [item["stored"] for item in found["dependents"]["items"]] == [True]
    binary = club.get("/items/one", table=name, key=json.dumps({"PK": {"S": "X"}, "SK": {"S": "1"}}))
    assert binary["item"]["b"] == {"B": "AP8="}
