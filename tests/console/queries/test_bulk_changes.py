"""Bulk changes: count first, then delete or edit step by step; entities with their copies and locks."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import errors
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.targets import Target
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
    found: list[dict[str, Any]] = console.opened.db.connection.call("Scan", {"TableName": table})["Items"]
    return found


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
    found = console.post("/query/bulk/count", ALL)
    assert found["counts"] == {"User": 3, "copies of User": 3, "locks of User": 3}
    assert found["items"] == 9
    assert found["write_units"] >= 9
    assert found["read_units"] > 0
    assert len(found["samples"]) == 5
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


def test_an_item_that_changed_since_it_was_read_stays(console: ConsoleClient) -> None:
    raw = raw_request(console.opened, "Scan", USERS)
    item = next(each for each in _items(console) if each["SK"]["S"] == "USER")
    stale = item | {"age": {"N": "99"}}
    plan = bulk_changes._plan_removal(raw, User.layout, stale, item)
    with pytest.raises(ItemRejected, match="was changed"):
        next(plan)


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
    copies = [each["PK"]["S"] for each in _items(console) if each["SK"]["S"].startswith("MEMBER#")]
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
        found = bulk_changes.edit_step(raw, None, 10, edit)
        connection.call = original  # type: ignore[method-assign]
        assert raced
        assert (found["changed"], len(found["problems"])) == (1, 1)
        items = original("Scan", {"TableName": "shop"})["Items"]
    orders = [each for each in items if each["SK"]["S"].startswith("ORDER#")]
    statuses = {each["SK"]["S"]: each["status"]["S"] for each in orders}
    assert statuses == {"ORDER#o1": "open", "ORDER#o2": "sent"}
