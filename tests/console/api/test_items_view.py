"""The API of the items view: pages, details, and what an endpoint must never send."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tablewright_systems.registry import SYSTEMS

from tests.console.club_design import club_client, put
from tests.console.sample_console import ConsoleClient, console_client


@pytest.fixture
def club() -> Iterator[ConsoleClient]:
    console = club_client()
    yield console
    console.opened.db.close()


def one(console: ConsoleClient, partition: str, sort: str) -> Any:
    key = {"PK": {"S": partition}, "SK": {"S": sort}}
    return console.get("/items/one", table="club", key=json.dumps(key))


def test_an_item_has_its_indexes_links_and_dependents(club: ConsoleClient) -> None:
    found = one(club, "MEMBER#m1", "TASK#t1")
    assert (found["entity"], found["role"], found["expired"]) == ("Task", "entity", False)
    assert [(index["index"], index["state"]) for index in found["indexes"]] == [
        ("GSI1", "absent"),
        ("open", "present"),
        ("by-level", "absent"),
    ]
    assert [item["name"] for item in found["dependents"]["items"]] == ["helpers"]
    assert one(club, "MEMBER#m1", "TASK#t3")["expired"] is True


def test_a_copy_leads_to_its_owner(club: ConsoleClient) -> None:
    found = one(club, "HELPER#m2", "TASK#t1")
    assert (found["role"], found["owner"]["PK"]) == ("copy", {"S": "MEMBER#m1"})


def test_secrets_are_not_sent(club: ConsoleClient) -> None:
    assert one(club, "MEMBER#m1", "PROFILE")["item"]["pin"] == {"HIDDEN": True}


def test_secrets_are_sent_with_reveal() -> None:
    console = club_client(reveal=True)
    assert one(console, "MEMBER#m1", "PROFILE")["item"]["pin"] == {"S": "1234"}
    console.opened.db.close()


def test_an_item_that_does_not_exist_is_an_error(club: ConsoleClient) -> None:
    key = {"PK": {"S": "none"}, "SK": {"S": "none"}}
    status, message = club.error("GET", "/items/one", table="club", key=json.dumps(key))
    assert (status, "has no item PK = 'none'" in message) == (404, True)


@pytest.mark.parametrize(
    ("key", "message"),
    [("{", "key is JSON"), ("[]", "PK and SK"), ('{"PK": {"S": "x"}}', "PK and SK")],
)
def test_an_invalid_key_is_an_error(club: ConsoleClient, key: str, message: str) -> None:
    status, text = club.error("GET", "/items/one", table="club", key=key)
    assert (status, message in text) == (400, True)


def test_partition_keys_come_from_templates(club: ConsoleClient) -> None:
    (pattern,) = [
        each
        for each in club.get("/items/key-patterns")["patterns"]
        if each["templates"] == ["STATUS#{status}"]
    ]
    given = {name: pattern[name] for name in ("table", "index", "templates")}
    reply = club.post("/items/partition-key", {**given, "values": {"status": "away"}})
    rows = club.post("/items/read", {"table": "club", "index": "GSI1", **reply})["items"]
    assert [row["entity"] for row in rows] == ["Member"]


def test_hostile_items_are_sent_as_they_are(club: ConsoleClient) -> None:
    deep: dict[str, Any] = {"S": "inside"}
    for _ in range(30):
        deep = {"L": [deep]}
    item = {
        "PK": {"S": "EVIL<script>"},
        "SK": {"S": "\u202egnp.exe"},
        "html": {"S": "<img src=x onerror=alert(1)>"},
        "long": {"S": "x" * 350_000},
        "deep": deep,
        "binary": {"B": b"\x00\xff"},
        "number": {"N": "-99999999999999999999999999999999999999E87"},
    }
    put(club.opened, item)
    found = one(club, "EVIL<script>", "\u202egnp.exe")["item"]
    assert found["html"] == item["html"]
    assert found["deep"] == deep
    assert found["binary"] == {"B": "AP8="}
    assert len(found["long"]["S"]) == 350_000
    (row,) = club.post("/items/read", {"table": "club", "partition": ["EVIL<script>"]})["items"]
    assert set(row["cut"]) == {"long", "deep"}


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_every_item_of_a_system_is_known_and_valid(name: str) -> None:
    with console_client(name, samples=1) as console:
        for table, declared in console.opened.tables.items():
            rows = console.post("/items/read", {"table": table, "limit": 50})["items"]
            assert [row["problem"] for row in rows if row["problem"]] == []
            if declared is not console.opened.design.key_table:
                assert {row["role"] for row in rows} <= {"entity", "copy", "lock"}
            if rows:
                key = json.dumps(rows[0]["key"])
                states = {
                    index["state"] for index in console.get("/items/one", table=table, key=key)["indexes"]
                }
                assert states <= {"present", "absent"}


def test_a_read_only_console_can_read() -> None:
    with console_client("boards", writable=False) as console:
        assert console.post("/items/read", {"table": "Boards"})["items"]
