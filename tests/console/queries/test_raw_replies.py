"""Raw replies: no operation sends a secret value to the browser, in any member of its reply or its error."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.console.queries.raw_replies import has_hidden, masked, show_row
from tests.console.queries.secret_design import key_table, main, secret_console, stored_secrets
from tests.console.sample_console import ConsoleClient

KEY = {"PK": {"S": "USER#u0"}, "SK": {"S": "USER"}}
MEMBER = {"PK": {"S": "TEAM#red"}, "SK": {"S": "MEMBER#u0"}}
ABSENT = {"ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
SET = {
    "UpdateExpression": "SET age = :age",
    "ExpressionAttributeValues": {":age": {"N": "31"}},
}
WHERE = "WHERE PK = 'USER#u0' AND SK = 'USER'"

REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("GetItem", {"TableName": "app", "Key": KEY}),
    ("GetItem", {"TableName": "app", "Key": MEMBER}),
    ("GetItem", {"TableName": "app", "Key": KEY, "ProjectionExpression": "#t, digest",
        "ExpressionAttributeNames": {"#t": "token"}}),
    ("BatchGetItem", {"RequestItems": {"app": {"Keys": [KEY]}, "events": {"Keys": [{"id": {"S": "e1"}}]}}}),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "app", "Key": KEY}}]}),
    ("Scan", {"TableName": "app"}),
    ("Scan", {"TableName": "app", "IndexName": "GSI1"}),
    ("Scan", {"TableName": "$keys"}),
    ("Query", {
        "TableName": "app", "KeyConditionExpression": "PK = :p",
        "ExpressionAttributeValues": {":p": {"S": "TEAM#red"}},
    }),
    ("ExecuteStatement", {"Statement": 'SELECT * FROM "app"'}),
    ("ExecuteStatement", {"Statement": 'SELECT token, digest FROM "app"."GSI1"'}),
    ("ExecuteStatement", {"Statement": 'SELECT * FROM "$keys"'}),
    ("BatchExecuteStatement", {"Statements": [{"Statement": f'SELECT * FROM "app" {WHERE}'}]}),
    ("ExecuteTransaction", {"TransactStatements": [{"Statement": f'SELECT * FROM "app" {WHERE}'}]}),
    ("UpdateItem", {"TableName": "app", "Key": KEY, "ReturnValues": "ALL_OLD", **SET}),
    ("UpdateItem", {"TableName": "app", "Key": KEY, "ReturnValues": "ALL_NEW", **SET}),
    ("UpdateItem", {"TableName": "app", "Key": KEY, **SET, **ABSENT}),
    ("PutItem", {"TableName": "app", "Item": KEY, **ABSENT}),
    ("DeleteItem", {"TableName": "app", "Key": KEY, **ABSENT}),
    ("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": "app", "Key": KEY, **ABSENT}}]}),
    ("ExecuteStatement", {"Statement": f"UPDATE app SET age = 32 {WHERE} RETURNING ALL OLD *"}),
    ("DeleteItem", {"TableName": "app", "Key": MEMBER, "ReturnValues": "ALL_OLD"}),
    ("PutItem", {"TableName": "app", "Item": KEY, "ReturnValues": "ALL_OLD"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def console() -> Iterator[ConsoleClient]:
    with secret_console() as opened:
        yield opened


def _run(
    console: ConsoleClient, operation: str, request: dict[str, Any], start: Any = None
) -> dict[str, Any]:
    text = json.dumps(request).replace("$keys", key_table(console))
    body = {"operation": operation, "request": json.loads(text), "start": start}
    reply: dict[str, Any] = console.post("/query/run", body)
    return reply


def test_no_operation_sends_a_secret_value() -> None:
    with secret_console() as console:
        secrets = stored_secrets(console)
        for operation, request in REQUESTS:
            found = json.dumps(_run(console, operation, request))
            assert not [secret for secret in secrets if secret in found], (operation, request)
            assert '"HIDDEN"' in found, (operation, request, found)


def test_revealed_secrets_are_in_the_rows_and_not_in_the_raw_reply() -> None:
    with secret_console(1, reveal=True) as console:
        found = _run(console, "GetItem", {"TableName": "app", "Key": KEY})
    assert found["rows"][0]["item"]["token"] == {"S": "token-0"}
    assert found["reply"]["Item"]["token"] == {"HIDDEN": True}


def test_a_failed_condition_is_a_result_with_the_stored_item(console: ConsoleClient) -> None:
    failed = _run(console, "PutItem", {"TableName": "app", "Item": KEY, **ABSENT})["failed"]
    assert failed["code"] == "ConditionalCheckFailedException"
    assert failed["details"]["Item"]["email"] == {"S": "u0@example.com"}
    assert failed["details"]["Item"]["token"] == {"HIDDEN": True}


def test_a_validation_error_of_dynamodb_is_a_result(console: ConsoleClient) -> None:
    found = _run(console, "GetItem", {"TableName": "app", "Key": {"PK": {"S": "x"}}})
    assert found["failed"]["code"] == "ValidationException"
    assert found["rows"] == []


def test_the_pages_of_a_scan_follow_each_other(console: ConsoleClient) -> None:
    for operation, request in (
        ("Scan", {"TableName": "app", "Limit": 2}),
        ("ExecuteStatement", {"Statement": 'SELECT * FROM "app"', "Limit": 2}),
    ):
        seen: list[str] = []
        start = None
        for _ in range(20):
            found = _run(console, operation, request, start)
            assert found["units"] > 0
            seen += [row["title"] for row in found["rows"]]
            start = found["next"]
            if start is None:
                break
        assert len(seen) == len(set(seen)) == 9


def test_rows_are_typed_with_their_entities(console: ConsoleClient) -> None:
    rows = _run(console, "Scan", {"TableName": "app"})["rows"]
    assert {(row["role"], row["entity"]) for row in rows} == {
        ("entity", "User"),
        ("copy", "User"),
        ("lock", "User"),
    }
    request = {"TransactItems": [{"Get": {"TableName": "app", "Key": KEY}}]}
    assert [row["entity"] for row in _run(console, "TransactGetItems", request)["rows"]] == ["User"]


def test_an_item_without_its_key_is_shown_without_an_entity(console: ConsoleClient) -> None:
    request = {"Statement": 'SELECT age, token FROM "app"."GSI1"'}
    rows = _run(console, "ExecuteStatement", request)["rows"]
    assert [row["item"] for row in rows] == [{"age": {"N": "30"}, "token": {"HIDDEN": True}}] * 3
    row = show_row(console.opened, main, {"digest": {"S": "x"}})
    assert (row["entity"], row["item"]) == (None, {"digest": {"HIDDEN": True}})


def test_hidden_values_are_found_in_any_place() -> None:
    found = masked(frozenset({"t"}), {"a": [{"t": {"S": "x"}}], "b": {"S": "t"}})
    assert found == {"a": [{"t": {"HIDDEN": True}}], "b": {"S": "t"}}
    assert has_hidden(found)
    assert not has_hidden({"b": {"S": "t"}})
    assert not has_hidden(None)
