"""Pattern runs: the same items as the repository returns, with the recorded requests, and without secrets."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Get, Keys, Query, Table, connect, errors, fields
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.pattern_runs import RecordingConnection, hides_values, run_pattern, show_run
from tests.console.sample_console import open_system

main = Table("main", key=("PK", "SK"))


class User(Entity, table=main, type="USER"):
    user_id: str
    email: Annotated[str, fields.Unique()]
    keys = Keys(primary=("USERS", "USER#{user_id}"))


class Login(Entity, table=main, type="LOGIN"):
    token: Annotated[str, fields.Hashed()]
    note: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("LOGIN#{token}", "LOGIN"))


class Users(Query[User]):
    key = "PK = USERS"


class UserNames(Query[User]):
    key = "PK = USERS"
    fields = ("user_id",)


class UserById(Get[User]):
    user_id: str


class LoginByToken(Get[Login]):
    token: str


design = Design("app", entities=[User, Login], patterns=[Users, UserNames, UserById, LoginByToken])


@pytest.fixture
def opened() -> Iterator[OpenDesign]:
    with connect(design) as db:
        for number in range(5):
            db.create(User(user_id=f"u{number}", email=f"u{number}@example.com"))
        db.create(Login(token="the-token", note="the-note"))
        yield OpenDesign(db, "App", "memory", "app:design")


def test_a_query_is_read_page_by_page(opened: OpenDesign) -> None:
    first = run_pattern(opened, Users(), 3)
    second = run_pattern(opened, Users(), 3, first.cursor)
    names = [item["SK"]["S"] for item in (*first.items, *second.items)]
    assert names == [f"USER#u{number}" for number in range(5)]
    assert second.cursor is None
    assert [call.returned for call in first.calls] == [3]


def test_rows_of_some_fields_are_expected(opened: OpenDesign) -> None:
    shown = show_run(opened, UserNames(), run_pattern(opened, UserNames()))
    assert len(shown["rows"]) == 5
    assert all(row["expected"] and row["problem"] is None for row in shown["rows"])
    assert "email" not in shown["rows"][0]["item"]


def test_an_item_that_is_not_what_the_pattern_returns_is_marked(opened: OpenDesign) -> None:
    item = {"PK": {"S": "USERS"}, "SK": {"S": "USER#x"}, "type": {"S": "OTHER"}}
    opened.db.connection.call("PutItem", {"TableName": "main", "Item": item})
    shown = show_run(opened, Users(), run_pattern(opened, Users()))
    assert [row["expected"] for row in shown["rows"]].count(False) == 1


def test_a_read_by_a_secret_shows_no_values(opened: OpenDesign) -> None:
    pattern = LoginByToken(token="the-token")
    shown = show_run(opened, pattern, run_pattern(opened, pattern))
    assert hides_values(LoginByToken.__plan__)
    assert not hides_values(Users.__plan__)
    (row,) = shown["rows"]
    assert row["item"]["note"] == row["item"]["token"] == {"HIDDEN": True}
    read = next(request for request in shown["requests"] if request["operation"] == "GetItem")
    assert set(read["request"]["Key"]["PK"]) == {"HIDDEN"}


def test_reads_of_encryption_keys_are_named_and_not_shown() -> None:
    with connect(design) as db:
        db.create(Login(token="the-token", note="the-note"))
        fresh = OpenDesign(
            type(db)(design, db.connection, db.context.with_new_vault()), "App", "memory", "app:design"
        )
        pattern = LoginByToken(token="the-token")
        shown = show_run(fresh, pattern, run_pattern(fresh, pattern))
    keys = [request for request in shown["requests"] if request["why"]]
    assert keys
    assert all(key["request"] is None for key in keys)


def test_a_missing_table_is_named_with_the_command_that_creates_it(opened: OpenDesign) -> None:
    opened.db.connection.call("DeleteTable", {"TableName": "main"})
    with pytest.raises(errors.ResourceNotFound, match="tablewright deploy"):
        run_pattern(opened, Users())


def test_a_read_of_one_entity_has_no_cursor(opened: OpenDesign) -> None:
    pattern = run_pattern(opened, UserById(user_id="u1"), 50)
    assert len(pattern.items) == 1
    with pytest.raises(errors.UsageError, match="has no pages"):
        run_pattern(opened, UserById(user_id="u1"), None, "cursor")


@pytest.fixture(scope="module")
def connection() -> Any:
    opened = open_system("boards", samples=1)
    yield opened.db.connection
    opened.db.close()


def test_a_scan_records_what_it_examined_and_returned(connection: Any) -> None:
    recording = RecordingConnection(connection)
    table = connection.call("ListTables", {})["TableNames"][0]
    reply = recording.call(
        "Scan", {"TableName": table, "FilterExpression": "attribute_not_exists(absent)", "Limit": 2}
    )
    (call,) = recording.calls
    assert (call.examined, call.returned) == (2, len(reply["Items"]))
    assert call.units == reply["ConsumedCapacity"]["CapacityUnits"] > 0
    assert "ReturnConsumedCapacity" not in call.request


def test_reads_by_key_are_counted(connection: Any) -> None:
    recording = RecordingConnection(connection)
    table = connection.call("ListTables", {})["TableNames"][0]
    described = connection.call("DescribeTable", {"TableName": table})["Table"]
    names = [each["AttributeName"] for each in described["KeySchema"]]
    item = connection.call("Scan", {"TableName": table, "Limit": 1})["Items"][0]
    key = {name: item[name] for name in names}
    recording.call("GetItem", {"TableName": table, "Key": key})
    recording.call("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}})
    recording.call("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": key}}]})
    assert [call.returned for call in recording.calls] == [1, 1, 1]
    assert all(call.units > 0 for call in recording.calls)


def test_a_write_is_never_passed_on(connection: Any) -> None:
    with pytest.raises(errors.UsageError, match="finds nothing"):
        RecordingConnection(connection).call("PutItem", {})


def test_long_throttling_is_reported_instead_of_waited_for(connection: Any) -> None:
    with pytest.raises(errors.Throttling, match="run it again"):
        RecordingConnection(connection).pause(60)
