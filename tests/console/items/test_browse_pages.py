"""Browse pages: cursors, budgets, partitions, and the same items seen in an index."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.console.items import browse_pages
from tablewright.console.items.browse_pages import MOST_BINARY_BYTES, MOST_CHARACTERS, MOST_MEMBERS, cut_item
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tests.console.club_design import advance, club_client, put
from tests.console.sample_console import ConsoleClient


@pytest.fixture
def club() -> Iterator[ConsoleClient]:
    console = club_client()
    yield console
    console.opened.db.close()


def keys(rows: list[Any]) -> list[tuple[str, str]]:
    return [tuple(value["S"] for value in row["key"].values()) for row in rows]


def test_a_partition_is_in_the_order_of_its_sort_key(club: ConsoleClient) -> None:
    given = {"table": "club", "partition": ["MEMBER#m1"]}
    forward = club.post("/items/read", given)
    assert [sort for _, sort in keys(forward["items"])] == ["PROFILE", "TASK#t1", "TASK#t2", "TASK#t3"]
    backward = club.post("/items/read", {**given, "descending": True})
    assert keys(backward["items"]) == keys(forward["items"])[::-1]
    assert (forward["operation"], forward["examined"], forward["returned"]) == ("Query", 4, 4)
    assert forward["capacity"] > 0


def test_numbers_are_ordered_as_numbers(club: ConsoleClient) -> None:
    rows = club.post("/items/read", {"table": "scores", "partition": ["GAME#chess"]})["items"]
    assert [row["key"]["rank"] for row in rows] == [{"N": "2"}, {"N": "10"}]


@pytest.mark.parametrize("given", [{}, {"index": "GSI1"}, {"entity": "Task"}, {"partition": ["MEMBER#m1"]}])
def test_pages_have_every_item_once(club: ConsoleClient, given: Any) -> None:
    whole = keys(club.post("/items/read", {"table": "club", **given})["items"])
    found, cursor = [], None
    while True:
        page = club.post("/items/read", {"table": "club", **given, "limit": 1, "cursor": cursor})
        found += keys(page["items"])
        cursor = page["cursor"]
        if cursor is None:
            break
    assert found == whole
    assert len(whole) > 1


def test_a_cursor_does_not_continue_another_filter(club: ConsoleClient) -> None:
    cursor = club.post("/items/read", {"table": "club", "limit": 1})["cursor"]
    assert cursor is not None
    given = {"table": "club", "limit": 1, "cursor": cursor, "prefix": "MEMBER#"}
    status, message = club.error("POST", "/items/read", given)
    assert status == 400
    assert "start again from the first page" in message


def test_a_page_ends_when_its_budget_is_used(club: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        put(club.opened, {"PK": {"S": f"X{number}"}, "SK": {"S": "x"}})
    monkeypatch.setattr(browse_pages, "MAX_LIMIT", 5)
    monkeypatch.setattr(browse_pages, "MOST_EXAMINED", 10)
    page = club.post("/items/read", {"table": "club", "filter": "name = 'none'"})
    assert (page["examined"], page["returned"]) == (10, 0)
    assert page["cursor"] is not None


def test_large_items_end_a_page(club: ConsoleClient) -> None:
    for number in range(4):
        put(club.opened, {"PK": {"S": "BIG"}, "SK": {"S": str(number)}, "text": {"S": "x" * 390_000}})
    page = club.post("/items/read", {"table": "club", "partition": ["BIG"]})
    assert 2 <= page["returned"] <= 3
    assert page["cursor"] is not None
    assert page["items"][0]["cut"] == ["text"]
    assert page["items"][0]["size"] > 390_000


def test_partitions_are_counted(club: ConsoleClient) -> None:
    partitions = club.post("/items/partitions", {"table": "club"})["partitions"]
    ours = next(partition for partition in partitions if partition["partition"] == ["MEMBER#m1"])
    assert (ours["items"], ours["entities"]) == (4, {"Member": 1, "Task": 3})
    lock = next(partition for partition in partitions if partition["partition"][0].startswith("_lock#"))
    assert lock["entities"] == {"Member lock": 1}
    assert ours["key_parts"]["PK"][1] == {"text": "m1", "field": "member_id"}
    status, message = club.error("POST", "/items/partitions", {"table": "club", "partition": ["MEMBER#m1"]})
    assert (status, "leave partition out" in message) == (400, True)


def test_expired_and_unknown_items_are_marked(club: ConsoleClient) -> None:
    put(club.opened, {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "WHAT"}})
    put(club.opened, {"PK": {"S": "MEMBER#m9"}, "SK": {"S": "PROFILE"}, "type": {"S": "TASK"}})
    rows = club.post("/items/read", {"table": "club", "prefix": "MEMBER#"})["items"]
    by_sort = {(row["key"]["PK"]["S"], row["key"]["SK"]["S"]): row for row in rows}
    assert by_sort["MEMBER#m1", "TASK#t3"]["expired"] is True
    assert by_sort["MEMBER#m1", "TASK#t1"]["expired"] is False
    assert by_sort["MEMBER#m1", "WHAT"]["role"] == "unknown"
    assert "no entity" in by_sort["MEMBER#m1", "WHAT"]["problem"]
    assert "not a valid Task" in by_sort["MEMBER#m9", "PROFILE"]["problem"]


def test_secrets_are_hidden_in_rows(club: ConsoleClient) -> None:
    reply = club.post("/items/read", {"table": "club", "entity": "Member", "role": "entity"})
    ada = next(row for row in reply["items"] if row["item"]["name"] == {"S": "Ada"})
    assert ada["item"]["pin"] == {"HIDDEN": True}
    assert "1234" not in str(reply)


def test_a_partition_is_seen_in_an_index(club: ConsoleClient) -> None:
    given = {"table": "club", "partition": ["MEMBER#m1"], "seen_in": "open"}
    rows = club.post("/items/read", given)["items"]
    states = {row["key"]["SK"]["S"]: row["seen"]["state"] for row in rows}
    assert states == {"PROFILE": "absent", "TASK#t1": "present", "TASK#t2": "absent", "TASK#t3": "present"}
    seen = next(row["seen"] for row in rows if row["key"]["SK"]["S"] == "TASK#t1")
    assert seen["key"] == {"open_pk": {"S": "OPEN"}, "open_sk": {"S": "TASK#t1"}}
    assert seen["key_parts"]["open_sk"][1]["field"] == "task_id"


@pytest.mark.parametrize("lens", ["table", "GSI1", "by-level"])
def test_a_partition_of_an_index_is_seen_elsewhere(club: ConsoleClient, lens: str) -> None:
    given = {"table": "club", "index": "GSI1", "partition": ["STATUS#active"], "seen_in": lens}
    (row,) = club.post("/items/read", given)["items"]
    assert row["seen"]["state"] == "present"


def test_a_row_that_lags_behind_is_marked() -> None:
    console = club_client(lag=60.0)
    advance(console.opened, 61)
    key = {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "PROFILE"}}
    console.opened.db.connection.call("DeleteItem", {"TableName": "club", "Key": key})
    given = {"table": "club", "index": "GSI1", "partition": ["STATUS#active"], "seen_in": "table"}
    (row,) = console.post("/items/read", given)["items"]
    assert row["seen"]["state"] == "lagging"
    assert "does not have this item any more" in row["seen"]["why"]
    console.opened.db.close()


def test_a_comparison_is_bounded(club: ConsoleClient) -> None:
    status, message = club.error("POST", "/items/read", {"table": "club", "seen_in": "GSI1", "limit": 101})
    assert (status, "at most 100" in message) == (400, True)


def deep(levels: int) -> AttributeValue:
    value: AttributeValue = {"S": "inside"}
    for _ in range(levels):
        value = {"M": {"next": value}}
    return value


def test_short_values_stay_as_they_are() -> None:
    item: Item = {"a": {"S": "x"}, "n": {"N": "1" * 38}, "l": {"L": [{"BOOL": True}]}, "h": {"HIDDEN": True}}
    assert cut_item(item) == (item, [])


def test_long_texts_binaries_and_collections_are_cut() -> None:
    item: Item = {
        "text": {"S": "x" * 400_000},
        "bytes": {"B": b"x" * 1000},
        "list": {"L": [{"N": "1"}] * 100},
        "map": {"M": {str(number): {"N": "1"} for number in range(100)}},
        "set": {"SS": [str(number) for number in range(100)]},
        "inner": {"L": [{"S": "x" * 1000}]},
    }
    found, cut = cut_item(item)
    assert cut == list(item)
    assert len(found["text"]["S"]) == MOST_CHARACTERS
    assert len(found["bytes"]["B"]) == MOST_BINARY_BYTES
    assert len(found["list"]["L"]) == len(found["map"]["M"]) == len(found["set"]["SS"]) == MOST_MEMBERS
    assert len(found["inner"]["L"][0]["S"]) == MOST_CHARACTERS


def test_deep_nesting_is_cut() -> None:
    found, cut = cut_item({"flat": deep(2), "deep": deep(30)})
    assert cut == ["deep"]
    assert "inside" in str(found["flat"])
    assert "inside" not in str(found["deep"])


def test_keys_are_not_cut() -> None:
    item = {"PK": {"S": "x" * 2000}}
    assert cut_item(item, ["PK"]) == (item, [])
