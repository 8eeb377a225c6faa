"""Raw requests: which are sent, and which are rejected before they reach DynamoDB."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.console.endpoints import Forbidden
from tablewright.console.items.key_texts import with_bytes
from tablewright.console.queries.raw_requests import OPERATIONS, RawRequest, parse_statement, raw_request
from tablewright.console.shown_items import secret_attributes
from tablewright.errors import UsageError
from tests.console.queries.secret_design import key_table, secret_console
from tests.console.sample_console import ConsoleClient

KEY = {"PK": {"S": "USER#u0"}, "SK": {"S": "USER"}}
NAMES_KEPT = {"ExpressionAttributeNames": {"#k": "_kept"}}


@pytest.fixture(scope="module")
def console() -> Iterator[ConsoleClient]:
    with secret_console(1) as opened:
        yield opened


@pytest.fixture(scope="module")
def reader() -> Iterator[ConsoleClient]:
    with secret_console(1, writable=False) as opened:
        yield opened


def _raw(console: ConsoleClient, operation: str, request: dict[str, Any]) -> RawRequest:
    return raw_request(console.opened, operation, request)


WRITING: list[tuple[str, dict[str, Any]]] = [
    ("PutItem", {"TableName": "app", "Item": KEY}),
    ("UpdateItem", {"TableName": "app", "Key": KEY}),
    ("DeleteItem", {"TableName": "app", "Key": KEY}),
    ("BatchWriteItem", {"RequestItems": {"app": [{"DeleteRequest": {"Key": KEY}}]}}),
    ("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": "app", "Key": KEY}}]}),
    ("ExecuteStatement", {"Statement": "DELETE FROM app WHERE PK = 'x'"}),
    (
        "BatchExecuteStatement",
        {"Statements": [{"Statement": "SELECT * FROM app"}, {"Statement": "DELETE FROM app"}]},
    ),
    ("ExecuteTransaction", {"TransactStatements": [{"Statement": "UPDATE app SET a = 1"}]}),
]


@pytest.mark.parametrize(("operation", "request_"), WRITING)
def test_writes_need_a_console_that_writes(
    console: ConsoleClient, reader: ConsoleClient, operation: str, request_: dict[str, Any]
) -> None:
    assert _raw(console, operation, request_).is_write
    with pytest.raises(Forbidden, match="--write"):
        _raw(reader, operation, request_)


def test_reads_are_allowed_in_a_console_that_only_reads(reader: ConsoleClient) -> None:
    assert not _raw(reader, "GetItem", {"TableName": "app", "Key": KEY}).is_write
    assert not _raw(reader, "ExecuteStatement", {"Statement": "SELECT * FROM app"}).is_write


def test_the_console_never_writes_encryption_keys(console: ConsoleClient) -> None:
    request = {"TableName": key_table(console), "Key": {"owner": {"S": "x"}, "context": {"S": "x"}}}
    with pytest.raises(Forbidden, match="tablewright keys"):
        _raw(console, "DeleteItem", request)
    assert _raw(console, "GetItem", request).secrets == {"keys"}


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("Scan", {"TableName": "other"}),
        ("Scan", {"TableName": "arn:aws:dynamodb:us-east-1:123456789012:table/app"}),
        ("Scan", {}),
        ("BatchGetItem", {"RequestItems": {"app": {}, "other": {}}}),
        ("BatchGetItem", {"RequestItems": []}),
        (
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": "app"}}, {"Get": {"TableName": "other"}}]},
        ),
        ("TransactGetItems", {"TransactItems": [{"Get": {}}]}),
        ("TransactGetItems", {"TransactItems": "x"}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM other"}),
        ("ExecuteStatement", {}),
        ("BatchExecuteStatement", {"Statements": []}),
        ("DeleteTable", {"TableName": "app"}),
        ("CreateBackup", {"TableName": "app"}),
        ("Scan", {"TableName": "app", "Limit": 5000}),
        ("Scan", {"TableName": "app", "Limit": "5"}),
        ("ExecuteStatement", {"Statement": 'SELECT token.part FROM "app"'}),
    ],
)
def test_other_tables_and_other_operations_are_rejected(
    console: ConsoleClient, operation: str, request_: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        _raw(console, operation, request_)


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("GetItem", {"RequestItems": {"app": {}}, "TableName": "another", "Key": KEY}),
        ("Scan", {"TransactItems": [{"Get": {"TableName": "app"}}], "TableName": "another"}),
        ("BatchGetItem", {"TableName": "app", "RequestItems": {"another": {"Keys": [KEY]}}}),
        ("TransactGetItems", {"TableName": "app", "TransactItems": [{"Get": {"TableName": "another"}}]}),
    ],
)
def test_a_table_beside_the_one_that_is_read_does_not_count(
    console: ConsoleClient, operation: str, request_: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="no table another"):
        _raw(console, operation, request_)


@pytest.mark.parametrize(
    "statement",
    [
        'SELECT * /* FROM "app" */ --\'\n FROM "another" --\'',
        'SELECT * -- FROM "app"\n FROM "another"',
        'SELECT "from" FROM "another"',
    ],
)
def test_comments_and_quotes_hide_no_table(console: ConsoleClient, statement: str) -> None:
    with pytest.raises(UsageError, match="no table another"):
        _raw(console, "ExecuteStatement", {"Statement": statement})


def test_a_table_beside_a_statement_has_no_effect(console: ConsoleClient) -> None:
    raw = _raw(console, "ExecuteStatement", {"Statement": 'SELECT * FROM "app"', "TableName": "another"})
    assert list(raw.tables) == ["app"]


def test_a_statement_has_one_table(console: ConsoleClient) -> None:
    with pytest.raises(UsageError, match="one table"):
        _raw(console, "ExecuteStatement", {"Statement": 'SELECT * FROM "app" WHERE x = 1 FROM "app"'})


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("Scan", {"FilterExpression": "SECRET > :x"}),
        ("Scan", {"FilterExpression": "size(#s) > :x", "ExpressionAttributeNames": {"#s": "SECRET"}}),
        ("Scan", {"ScanFilter": {"SECRET": {"ComparisonOperator": "NOT_NULL"}}}),
        ("UpdateItem", {"Key": KEY, "UpdateExpression": "SET note = SECRET"}),
        ("UpdateItem", {"Key": KEY, "UpdateExpression": "SET note = #k", **NAMES_KEPT}),
        ("ExecuteStatement", {"Statement": "UPDATE \"app\" SET x = _kept WHERE PK = 'p' AND SK = 's'"}),
        ("ExecuteStatement", {"Statement": 'SELECT * FROM "app" WHERE "SECRET" > 1'}),
        ("ExecuteStatement", {"Statement": 'SELECT "SECRET"/**/[0] FROM "app"'}),
    ],
)
def test_secrets_are_not_compared_or_copied(
    console: ConsoleClient, operation: str, request_: dict[str, Any]
) -> None:
    name = sorted(secret_attributes(console.opened, console.opened.table("app")))[0]
    given = json.loads(json.dumps({"TableName": "app", **request_}).replace("SECRET", name))
    with pytest.raises(UsageError, match="is secret"):
        _raw(console, operation, given)


def test_pages_are_limited_and_report_their_capacity(console: ConsoleClient) -> None:
    found = _raw(console, "Query", {"TableName": "app"}).request
    assert (found["Limit"], found["ReturnConsumedCapacity"]) == (1000, "INDEXES")
    assert "Limit" not in _raw(console, "GetItem", {"TableName": "app", "Key": KEY}).request


def test_the_index_and_the_attributes_are_known(console: ConsoleClient) -> None:
    assert _raw(console, "Query", {"TableName": "app", "IndexName": "Keys"}).is_partial
    assert not _raw(console, "Query", {"TableName": "app", "IndexName": "GSI1"}).is_partial
    assert _raw(console, "Query", {"TableName": "app", "IndexName": "absent"}).index is None
    assert _raw(console, "ExecuteStatement", {"Statement": "SELECT PK FROM app"}).is_partial


def test_binary_values_become_bytes() -> None:
    assert with_bytes({"Item": {"B": {"S": "B"}, "x": {"BS": ["AA=="]}}}) == {
        "Item": {"B": {"S": "B"}, "x": {"BS": [b"\x00"]}}
    }
    with pytest.raises(UsageError, match="base64"):
        with_bytes({"x": {"B": "not base64!"}})


def test_every_operation_has_a_name_of_dynamodb(console: ConsoleClient) -> None:
    client = console.opened.db.connection.client()  # type: ignore[attr-defined]
    assert set(OPERATIONS) <= set(client.meta.method_to_api_mapping.values())


@pytest.mark.parametrize(
    ("text", "tables", "index", "is_read"),
    [
        ('SELECT * FROM "app-main"', ("app-main",), None, True),
        ("select a, b from app where x = 'FROM other'", ("app",), None, True),
        ('SELECT * FROM "app"."GSI1" WHERE x = 1', ("app",), "GSI1", True),
        ("  \n SELECT * FROM app", ("app",), None, True),
        ("""INSERT INTO "app" VALUE {'PK': 'x'}""", ("app",), None, False),
        ("UPDATE app SET a = 1 WHERE PK = 'x'", ("app",), None, False),
        ("DELETE FROM app WHERE PK = 'x'", ("app",), None, False),
        ("EXISTS(SELECT * FROM app WHERE PK = 'x')", ("app",), None, False),
        ('SELECT * FROM "a""b"', ('a"b',), None, True),
        ("SELECT * FROM app WHERE a = 'it''s' AND b = '--'", ("app",), None, True),
        ("SELECT * FROM /* other */ app", ("app",), None, True),
    ],
)
def test_the_parts_of_a_statement(
    text: str, tables: tuple[str, ...], index: str | None, is_read: bool
) -> None:
    statement = parse_statement(text)
    assert (statement.tables, statement.index, statement.is_read) == (tables, index, is_read)


@pytest.mark.parametrize(
    "text",
    ["", "   ", None, 5, "SELECT 1", "SELECT * FROM 'app'", "SELECT * FROM a WHERE b IN (SELECT x FROM c)"],
)
def test_what_names_no_table_is_rejected(text: object) -> None:
    with pytest.raises(UsageError):
        parse_statement(text)


def test_attributes_that_are_compared_are_found() -> None:
    assert parse_statement("SELECT * FROM app WHERE token > 1").reads_inside({"token"}) == "token"
    assert parse_statement("UPDATE app SET note = token").reads_inside({"token"}) == "token"
    assert parse_statement("SELECT token FROM app WHERE a = 'token'").reads_inside({"token"}) is None


def test_a_path_into_an_attribute_is_found() -> None:
    statement = parse_statement('SELECT a, "token"."part" FROM app')
    assert statement.reads_inside({"token"}) == "token"
    assert statement.reads_inside({"a", "part"}) is None
    assert parse_statement("SELECT token[0] FROM app").reads_inside({"token"}) == "token"
    assert parse_statement("SELECT 'token' . x FROM app").reads_inside({"token"}) is None


@pytest.mark.parametrize(
    "selected", ["token AS shown", "token shown", "upper(token)", "'' || token", "[token]", "{'a': token}"]
)
def test_an_attribute_under_another_name_is_found(selected: str) -> None:
    assert parse_statement(f"SELECT a, {selected} FROM app").reads_inside({"token"}) == "token"
    assert parse_statement("SELECT a.token, token FROM app a").reads_inside({"token"}) is None


def test_an_attribute_that_orders_is_found() -> None:
    assert parse_statement("SELECT * FROM app ORDER BY token").reads_inside({"token"}) == "token"


def test_only_a_star_selects_whole_items() -> None:
    assert parse_statement("SELECT * FROM app").is_whole
    assert not parse_statement("SELECT a FROM app").is_whole
