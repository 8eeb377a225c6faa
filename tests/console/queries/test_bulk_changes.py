"""Bulk changes: count first, then delete or edit step by step; entities with their copies and locks."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import errors
from tablewright.access.writes.actions import MOST_COMPARED
from tablewright.access.writes.values import Target
from tablewright.console.changes.staged_edits import read_item
from tablewright.console.open_designs import OpenDesign
from tablewright.console.queries import bulk_changes
from tablewright.console.queries.raw_requests import raw_request
from tests.console.queries.secret_design import User, UserById, key_table, secret_console
from tests.console.sample_console import ConsoleClient
from tests.console.shop import open_shop

USERS = {
    "TableName": "app",
    "FilterExpression": "#type = :user",
    "ExpressionAttributeNames": {"#type": "type"},
    "ExpressionAttributeValues": {":user": {"S": "USER"}},
}
ALL = {"operation": "Scan", "request": {"TableName": "app"}}


@pytest.fixture
def console() -> Iterator[ConsoleClient]:
    with secret_console() as opened:
        yield opened


def _items(console: ConsoleClient, table: str = "app") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = console.opened.db.connection.call("Scan", {"TableName": table})["Items"]
    return items


def _all_steps(console: ConsoleClient, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    start = None
    while not steps or start is not None:
        steps.append(console.post(path, {**body, "start": start}))
        start = steps[-1]["next"]
        assert len(steps) < 50
    return steps


def test_a_count_names_entities_copies_and_locks_and_changes_nothing(console: ConsoleClient) -> None:
    before = _items(console)
    reply = console.post("/query/bulk/count", ALL)
    assert reply["counts"] == {"User": 3, "copies of User": 3, "locks of User": 3}
    assert reply["items"] == 9
    assert reply["write_units"] >= 9
    assert reply["read_units"] > 0
    assert len(reply["samples"]) == 5
    assert _items(console) == before


def test_users_are_deleted_with_their_copies_and_locks(console: ConsoleClient) -> None:
    body = {"operation": "Scan", "request": USERS, "confirm": "app", "most": 3}
    (step,) = _all_steps(console, "/query/bulk/delete", body)
    assert (step["changed"], step["failed"]) == (3, 0)
    assert step["skipped"] == {"copy that follows its entity": 3}
    assert _items(console) == []


@pytest.mark.parametrize("index", ["GSI1", "Keys"])
def test_the_rows_of_an_index_select_items(console: ConsoleClient, index: str) -> None:
    request = {
        "TableName": "app",
        "IndexName": index,
        "KeyConditionExpression": "GSI1PK = :team",
        "ExpressionAttributeValues": {":team": {"S": "TEAM#red"}},
        "Limit": 2,
    }
    assert console.post("/query/bulk/count", {"operation": "Query", "request": request})["counts"] == {
        "User": 2
    }
    body = {"operation": "Query", "request": request, "confirm": "app", "most": 3}
    steps = _all_steps(console, "/query/bulk/delete", body)
    assert sum(step["changed"] for step in steps) == 3
    assert _items(console) == []


def test_a_statement_selects_items(console: ConsoleClient) -> None:
    body = {
        "operation": "ExecuteStatement",
        "request": {"Statement": """SELECT * FROM "app" WHERE "type" = 'USER'"""},
        "confirm": "app",
        "most": 3,
    }
    assert sum(step["changed"] for step in _all_steps(console, "/query/bulk/delete", body)) == 3
    assert _items(console) == []


def test_unknown_items_are_deleted_too(console: ConsoleClient) -> None:
    item = {"PK": {"S": "x"}, "SK": {"S": "y"}}
    console.opened.db.connection.call("PutItem", {"TableName": "app", "Item": item})
    request = {
        "TableName": "app",
        "FilterExpression": "PK = :x",
        "ExpressionAttributeValues": {":x": {"S": "x"}},
    }
    assert console.post("/query/bulk/count", {"operation": "Scan", "request": request})["counts"] == {
        "unknown items": 1
    }
    body = {"operation": "Scan", "request": request, "confirm": "app", "most": 1}
    assert _all_steps(console, "/query/bulk/delete", body)[0]["changed"] == 1
    assert len(_items(console)) == 9


def test_a_step_ends_after_its_time_and_the_next_goes_on(
    console: ConsoleClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_changes, "STEP_SECONDS", -1.0)
    body = {"operation": "Scan", "request": USERS, "confirm": "app", "most": 3}
    steps = _all_steps(console, "/query/bulk/delete", body)
    assert len(steps) >= 3
    assert sum(step["changed"] for step in steps) == 3
    assert _items(console) == []


def test_more_items_than_were_counted_stop_the_change(console: ConsoleClient) -> None:
    body = {"operation": "Scan", "request": USERS, "confirm": "app", "most": 2}
    step = console.post("/query/bulk/delete", body)
    assert step["changed"] == 2
    assert "Count again" in step["stopped"]
    assert len(_items(console)) == 3


CUSTOMER = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "PROFILE"}}
STRAY = {"PK": {"S": "STRAY"}, "SK": {"S": "STRAY"}}
PLACED = {"GSI1PK": {"S": "x"}, "GSI1SK": {"S": "x"}, "GSI2PK": {"S": "x"}}
AFTER_THE_QUERY, BEFORE_THE_DELETE = ("Scan",), ("DeleteItem", "TransactWriteItems")


class Race:
    """Another writer, which changes an item once: after the query, or directly before the delete."""

    def __init__(self, opened: OpenDesign, key: dict[str, Any], update: str, at: tuple[str, ...]) -> None:
        self.send = opened.db.connection.call
        verb, name = update.split()
        self.update = {
            "TableName": "shop",
            "Key": key,
            "UpdateExpression": "SET #name = :value" if verb == "SET" else "REMOVE #name",
            "ExpressionAttributeNames": {"#name": name},
        }
        if verb == "SET":
            self.update["ExpressionAttributeValues"] = {":value": {"S": "of another writer"}}
        self.at = at
        self.happened = False
        opened.db.connection.call = self.call  # type: ignore[method-assign]

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        is_now = operation in self.at and not self.happened
        self.happened = self.happened or is_now
        if is_now and self.at is BEFORE_THE_DELETE:
            self.send("UpdateItem", self.update)
        reply = self.send(operation, request)
        if is_now and self.at is AFTER_THE_QUERY:
            self.send("UpdateItem", self.update)
        return reply


@pytest.mark.parametrize(
    ("key", "update"),
    [
        (CUSTOMER, "SET note"),
        (CUSTOMER, "SET name"),
        (CUSTOMER, "REMOVE token"),
        (CUSTOMER, "SET status"),  # an attribute of another entity of the table
        (STRAY, "SET note"),
        (STRAY, "SET size"),
        (STRAY, "REMOVE size"),
    ],
)
@pytest.mark.parametrize(
    ("index", "at"),
    [
        (None, AFTER_THE_QUERY),
        (None, BEFORE_THE_DELETE),
        ("GSI1", AFTER_THE_QUERY),
        ("GSI1", BEFORE_THE_DELETE),
        ("GSI2", BEFORE_THE_DELETE),  # its rows have the keys only
    ],
)
def test_an_item_that_changed_since_the_query_is_not_deleted(
    key: dict[str, Any], update: str, index: str | None, at: tuple[str, ...]
) -> None:
    step, left = _delete_in_race(key, update, index, at)
    assert left is not None
    assert step["skipped"] == {"changed since the query has read it": 1}
    assert (step["changed"], step["problems"]) == (0, [])


def test_an_attribute_that_no_entity_has_is_noticed_after_the_query() -> None:
    for key in (CUSTOMER, STRAY):
        step, left = _delete_in_race(key, "SET unknown", None, AFTER_THE_QUERY)
        assert left is not None
        assert step["skipped"] == {"changed since the query has read it": 1}


def _delete_in_race(
    key: dict[str, Any], update: str, index: str | None, at: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Delete one item by a query while another writer changes it; return the step, and the item that is left."""
    opened = open_shop()
    with opened.db:
        table = opened.table("shop")
        for item in ({**STRAY, "size": {"N": "4"}}, read_item(opened, table, CUSTOMER) or {}):
            opened.db.connection.call("PutItem", {"TableName": "shop", "Item": item | PLACED})
        race = Race(opened, key, update, at)
        request = {
            "TableName": "shop",
            **({"IndexName": index} if index else {}),
            "FilterExpression": "PK = :pk AND SK = :sk",
            "ExpressionAttributeValues": {":pk": key["PK"], ":sk": key["SK"]},
        }
        step = bulk_changes.delete_step(raw_request(opened, "Scan", request), None, 9)
        assert race.happened
        return step, read_item(opened, table, key)


def test_an_item_with_more_attributes_than_a_condition_compares_is_not_deleted() -> None:
    opened = open_shop()
    with opened.db:
        many = {f"a{number}": {"N": "1"} for number in range(MOST_COMPARED + 1)}
        opened.db.connection.call("PutItem", {"TableName": "shop", "Item": STRAY | many})
        request = {
            "TableName": "shop",
            "FilterExpression": "PK = :pk",
            "ExpressionAttributeValues": {":pk": STRAY["PK"]},
        }
        step = bulk_changes.delete_step(raw_request(opened, "Scan", request), None, 9)
        assert (step["changed"], step["failed"]) == (0, 1)
        assert "delete it in Items" in step["problems"][0]["message"]
        opened.db.connection.call(
            "UpdateItem", {"TableName": "shop", "Key": STRAY, "UpdateExpression": "REMOVE a0"}
        )
        assert bulk_changes.delete_step(raw_request(opened, "Scan", request), None, 9)["changed"] == 1


def test_an_entity_without_deletes_stays(console: ConsoleClient) -> None:
    body = {"operation": "Scan", "request": {"TableName": "events"}, "confirm": "events", "most": 1}
    step = console.post("/query/bulk/delete", body)
    assert (step["changed"], step["failed"]) == (0, 1)
    assert "does not allow deletes" in step["problems"][0]["message"]
    assert len(_items(console, "events")) == 1


def test_fields_are_edited_through_the_model(console: ConsoleClient) -> None:
    edit = {"entity": "User", "set": {"team": "blue", "age": "41"}}
    assert console.post("/query/bulk/check", {"operation": "Scan", "request": USERS, **edit})["set"] == [
        "team",
        "age",
    ]
    body = {"operation": "Scan", "request": USERS, "confirm": "app", "most": 3, **edit}
    (step,) = _all_steps(console, "/query/bulk/edit", body)
    assert (step["changed"], step["failed"]) == (3, 0)
    found = console.opened.db.get_or_raise(UserById(user_id="u1"))
    assert (found.team, found.age, found.version, found.token) == ("blue", 41, 2, "token-1")
    copies = [item["PK"]["S"] for item in _items(console) if item["SK"]["S"].startswith("MEMBER#")]
    assert copies == ["TEAM#blue"] * 3


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"entity": "User", "set": {"age": "many"}}, "User.age"),
        ({"entity": "User", "set": {"absent": 1}}, "has no field absent"),
        ({"entity": "User", "set": {"token": "x"}}, "token is secret"),
        ({"entity": "User", "set": {"user_id": "x"}}, "part of the primary key"),
        ({"entity": "User"}, "at least one field"),
        ({"entity": "Event", "set": {"text": "x"}}, "has no Event"),
    ],
)
def test_a_wrong_edit_is_rejected_before_it_begins(
    console: ConsoleClient, edit: dict[str, Any], message: str
) -> None:
    body = {"operation": "Scan", "request": USERS, **edit}
    assert message in console.error("POST", "/query/bulk/check", body)[1]
    assert message in console.error("POST", "/query/bulk/edit", {**body, "confirm": "app", "most": 9})[1]


@pytest.mark.parametrize(
    ("operation", "request_", "message"),
    [
        ("GetItem", {"TableName": "app", "Key": {}}, "takes a Query"),
        ("Scan", {"TableName": "app", "ProjectionExpression": "PK"}, "leave out ProjectionExpression"),
        ("Scan", {"TableName": "app", "Select": "COUNT"}, "leave out Select"),
        ("ExecuteStatement", {"Statement": "SELECT PK FROM app"}, r"SELECT \*"),
        ("ExecuteStatement", {"Statement": "DELETE FROM app"}, "takes a Query"),
        ("Scan", {"TableName": "$keys"}, "does not write encryption keys"),
    ],
)
def test_a_query_that_cannot_select_items_is_rejected(
    console: ConsoleClient, operation: str, request_: dict[str, Any], message: str
) -> None:
    if request_.get("TableName") == "$keys":
        request_ = {"TableName": key_table(console)}
    raw = raw_request(console.opened, operation, request_)
    with pytest.raises(Exception, match=message):
        bulk_changes.require_whole_items(raw)


def test_the_name_of_the_table_must_be_typed(console: ConsoleClient) -> None:
    body = {"operation": "Scan", "request": USERS, "confirm": "ap", "most": 3}
    for path in ("/query/bulk/delete", "/query/bulk/edit"):
        extra = {"entity": "User", "set": {"age": 1}} if path.endswith("edit") else {}
        assert "type the name of the table, app" in console.error("POST", path, {**body, **extra})[1]
    assert len(_items(console)) == 9


def test_a_console_that_only_reads_counts_and_changes_nothing() -> None:
    with secret_console(1, writable=False) as console:
        assert console.post("/query/bulk/count", ALL)["items"] == 3
        body = {"operation": "Scan", "request": USERS, "confirm": "app", "most": 3}
        assert console.error("POST", "/query/bulk/delete", body)[0] == 403
        assert console.error("POST", "/query/bulk/edit", {**body, "entity": "User"})[0] == 403
        assert len(_items(console)) == 3


def test_without_the_master_key_entities_with_secrets_stay() -> None:
    with secret_console(1) as console:
        from dataclasses import replace

        from tablewright.access.items.vault import NoVault
        from tablewright.access.repository import Repository

        db = console.opened.db
        context = replace(db.context, vault=NoVault(), _decoders={})
        opened = replace(console.opened, db=Repository(db.design, db.connection, context))
        step = bulk_changes.delete_step(raw_request(opened, "Scan", USERS), None, 9)
        assert (step["changed"], step["failed"]) == (0, 1)
        assert "master key" in step["problems"][0]["message"]
        with pytest.raises(errors.TablewrightError):
            opened.db.delete(Target(User, {"user_id": "u0"}))
        assert len(_items(console)) == 3


def test_an_item_that_changes_after_the_query_is_not_edited() -> None:
    opened = open_shop()
    with opened.db:
        connection = opened.db.connection
        original = connection.call
        raced: list[bool] = []

        def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            reply = original(operation, request)
            if operation == "Scan" and not raced:
                raced.append(True)
                key = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#o1"}}
                change = {"UpdateExpression": "SET #t = :x", "ExpressionAttributeNames": {"#t": "total"}}
                values = {"ExpressionAttributeValues": {":x": {"N": "99"}}}
                original("UpdateItem", {"TableName": "shop", "Key": key, **change, **values})
            return reply

        connection.call = call  # type: ignore[method-assign]
        raw = raw_request(opened, "Scan", {"TableName": "shop"})
        edit = bulk_changes.field_edit(raw, "Order", {"status": "sent"}, ())
        step = bulk_changes.edit_step(raw, None, 10, edit)
        connection.call = original  # type: ignore[method-assign]
        assert raced
        assert (step["changed"], step["problems"]) == (1, [])
        assert step["skipped"]["changed since the query has read it"] == 1
        items = original("Scan", {"TableName": "shop"})["Items"]
    orders = [item for item in items if item["SK"]["S"].startswith("ORDER#")]
    statuses = {order["SK"]["S"]: order["status"]["S"] for order in orders}
    assert statuses == {"ORDER#o1": "open", "ORDER#o2": "sent"}
