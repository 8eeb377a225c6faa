"""Patterns, raw requests and bulk changes at an endpoint, as on a store in this process.

`TABLEWRIGHT_ENDPOINT` names another server with the DynamoDB API.
"""

import json
import os
from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.console.queries.secret_design import secret_console, stored_secrets
from tests.console.sample_console import ConsoleClient
from tests.server.processes import ServerProcess


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    if given := os.environ.get("TABLEWRIGHT_ENDPOINT"):
        yield given
        return
    with ServerProcess("--memory") as process:
        yield process.url


@pytest.fixture
def console(endpoint: str) -> Iterator[ConsoleClient]:
    with secret_console(where=endpoint, prefix=f"t{uuid4().hex[:8]}-") as opened:
        yield opened


def test_a_pattern_runs_and_reports_its_requests(console: ConsoleClient) -> None:
    example = console.get("/patterns/UsersOfTeam/example")["parameters"]
    reply = console.post("/patterns/UsersOfTeam/run", {"parameters": example, "limit": 2})
    assert [row["entity"] for row in reply["rows"]] == ["User", "User"]
    assert (reply["examined"], reply["returned"]) == (2, 2)
    assert reply["units"] > 0
    more = console.post(
        "/patterns/UsersOfTeam/run", {"parameters": example, "limit": 2, "cursor": reply["cursor"]}
    )
    assert len(more["rows"]) == 1


def test_raw_requests_show_no_secrets(console: ConsoleClient) -> None:
    table = next(name for name in console.opened.tables if name.endswith("-app"))
    secrets = stored_secrets(console)
    key = {"PK": {"S": "USER#u0"}, "SK": {"S": "USER"}}
    absent = {
        "ConditionExpression": "attribute_not_exists(PK)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    for operation, request in (
        ("Scan", {"TableName": table}),
        ("GetItem", {"TableName": table, "Key": key}),
        ("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": key}}]}),
        ("PutItem", {"TableName": table, "Item": key, **absent}),
        ("ExecuteStatement", {"Statement": f'SELECT * FROM "{table}"'}),
        ("DeleteItem", {"TableName": table, "Key": key, "ReturnValues": "ALL_OLD"}),
    ):
        found = json.dumps(console.post("/query/run", {"operation": operation, "request": request}))
        assert not [secret for secret in secrets if secret in found], operation
        assert '"HIDDEN"' in found, (operation, found)


def test_items_are_edited_and_deleted_with_their_copies_and_locks(console: ConsoleClient) -> None:
    table = next(name for name in console.opened.tables if name.endswith("-app"))
    query = {"operation": "Scan", "request": {"TableName": table}}
    assert console.post("/query/bulk/count", query)["counts"]["User"] == 3
    edit = {"entity": "User", "set": {"team": "blue"}, "confirm": table, "most": 3}
    assert console.post("/query/bulk/edit", {**query, **edit})["changed"] == 3
    deleted = console.post("/query/bulk/delete", {**query, "confirm": table, "most": 3})
    assert (deleted["changed"], deleted["problems"]) == (3, [])
    assert console.post("/query/run", query)["rows"] == []
