"""BatchExecuteStatement: golden cases, and its limits."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.engine.statements import TABLES, play


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    for table in TABLES:
        database.call("CreateTable", table)
    yield database
    database.close()


@pytest.mark.parametrize("name", ["batches.txt"])
def test_cases(name: str, db: Database, update_golden: bool) -> None:
    play(name, db, update=update_golden)


def batch(db: Database, *statements: Any, **members: Any) -> dict[str, Any]:
    """The reply to a batch."""
    members["Statements"] = [each if isinstance(each, dict) else {"Statement": each} for each in statements]
    return db.call("BatchExecuteStatement", members)


@pytest.mark.parametrize(("count", "fits"), [(1, True), (25, True), (26, False)])
def test_at_most_25_statements(db: Database, count: int, fits: bool) -> None:
    statements = [f"SELECT * FROM hash WHERE pk = '{number}'" for number in range(count)]
    if fits:
        assert len(batch(db, *statements)["Responses"]) == count
    else:
        with pytest.raises(ServiceError, match="Member must have length less than or equal to 25"):
            batch(db, *statements)


def test_each_read_is_charged_at_its_own_consistency(db: Database) -> None:
    eventual = {"Statement": "SELECT * FROM hash WHERE pk = 'a'"}
    consistent = {"Statement": "SELECT * FROM hash WHERE pk = 'b'", "ConsistentRead": True}
    reply = batch(db, eventual, consistent, ReturnConsumedCapacity="TOTAL")
    assert reply["ConsumedCapacity"] == [{"TableName": "hash", "CapacityUnits": 1.5}]


def test_capacity_of_each_table(db: Database) -> None:
    reply = batch(
        db,
        "INSERT INTO hash VALUE {'pk': 'a'}",
        "INSERT INTO pairs VALUE {'pk': 'a', 'sk': 'b'}",
        "INSERT INTO hash VALUE {'pk': 'b'}",
        ReturnConsumedCapacity="INDEXES",
    )
    assert reply["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 2.0, "Table": {"CapacityUnits": 2.0}},
        {"TableName": "pairs", "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}},
    ]


@pytest.mark.parametrize("statement", ["UPDATE hash SET n = 1", "DELETE FROM hash"])
def test_a_failed_condition_returns_the_item_on_request(db: Database, statement: str) -> None:
    batch(db, "INSERT INTO hash VALUE {'pk': 'a', 'n': 1}")
    failing = f"{statement} WHERE pk = 'a' AND n = 2"
    requests = [
        {"Statement": failing, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
        {"Statement": failing, "ReturnValuesOnConditionCheckFailure": "NONE"},
        {"Statement": failing},
    ]
    error = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    item = {"pk": {"S": "a"}, "n": {"N": "1"}}
    assert batch(db, *requests)["Responses"] == [
        {"TableName": "hash", "Error": {**error, "Item": item}},
        {"TableName": "hash", "Error": error},
        {"TableName": "hash", "Error": error},
    ]


def test_a_condition_that_fails_without_an_item_returns_none(db: Database) -> None:
    update = {
        "Statement": "UPDATE hash SET n = 1 WHERE pk = 'a'",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    (response,) = batch(db, update)["Responses"]
    assert response["Error"].keys() == {"Code", "Message"}


def test_an_invalid_parameter_fails_only_its_statement(db: Database) -> None:
    invalid = {"Statement": "UPDATE hash SET n = ? WHERE pk = 'a'", "Parameters": [{"SS": []}]}
    bad, good = batch(db, invalid, "INSERT INTO hash VALUE {'pk': 'a'}")["Responses"]
    assert bad == {
        "Error": {
            "Code": "ValidationError",
            "Message": "One or more parameter values were invalid: An string set  may not be empty",
        }
    }
    assert good == {"TableName": "hash"}
