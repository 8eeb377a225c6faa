"""ExecuteTransaction: golden cases, tokens, and its limits."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import IdempotentParameterMismatch, ServiceError
from tests.engine.statements import TABLES, play


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    for table in TABLES:
        database.call("CreateTable", table)
    yield database
    database.close()


@pytest.mark.parametrize("name", ["transactions.txt"])
def test_cases(name: str, db: Database, update_golden: bool) -> None:
    play(name, db, update=update_golden)


def transact(db: Database, *statements: Any, **members: Any) -> dict[str, Any]:
    """The reply to a transaction."""
    members["TransactStatements"] = [
        each if isinstance(each, dict) else {"Statement": each} for each in statements
    ]
    return db.call("ExecuteTransaction", members)


@pytest.mark.parametrize(("count", "fits"), [(1, True), (100, True), (101, False)])
def test_at_most_100_statements(db: Database, count: int, fits: bool) -> None:
    statements = [f"INSERT INTO hash VALUE {{'pk': '{number}'}}" for number in range(count)]
    if fits:
        assert transact(db, *statements) == {"Responses": []}
    else:
        with pytest.raises(ServiceError, match="Member must have length less than or equal to 100"):
            transact(db, *statements)


def test_a_token_applies_a_transaction_once(db: Database) -> None:
    transact(db, "INSERT INTO hash VALUE {'pk': 'a', 'n': 0}")
    increment = "UPDATE hash SET n = n + 1 WHERE pk = 'a'"
    first = transact(db, increment, ClientRequestToken="once", ReturnConsumedCapacity="TOTAL")
    again = transact(db, increment, ClientRequestToken="once", ReturnConsumedCapacity="TOTAL")
    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 2.0
    assert again["ConsumedCapacity"][0]["ReadCapacityUnits"] == 2.0
    found = transact(db, "SELECT n FROM hash WHERE pk = 'a'")
    assert found == {"Responses": [{"Item": {"n": {"N": "1"}}}]}
    with pytest.raises(IdempotentParameterMismatch):
        transact(db, f"{increment} AND n = 1", ClientRequestToken="once")


def test_transactional_reads_cost_double(db: Database) -> None:
    transact(db, "INSERT INTO hash VALUE {'pk': 'a'}")
    reads = ["SELECT * FROM hash WHERE pk = 'a'", "SELECT * FROM hash WHERE pk = 'b'"]
    reply = transact(db, *reads, ReturnConsumedCapacity="TOTAL")
    assert reply["Responses"] == [{"Item": {"pk": {"S": "a"}}}, {}]
    assert reply["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}
    ]


def test_a_failed_condition_returns_the_item_on_request(db: Database) -> None:
    transact(db, "INSERT INTO hash VALUE {'pk': 'a', 'n': 1}")
    update = {
        "Statement": "UPDATE hash SET n = 2 WHERE pk = 'a' AND n = 5",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    request = {"TransactStatements": [update, {"Statement": "INSERT INTO hash VALUE {'pk': 'b'}"}]}
    status, body = db.call_json("ExecuteTransaction", orjson.dumps(request))
    assert status == 400
    reason, fine = orjson.loads(body)["CancellationReasons"]
    assert reason["Code"] == "ConditionalCheckFailed"
    assert reason["Item"] == {"pk": {"S": "a"}, "n": {"N": "1"}}
    assert fine == {"Code": "None"}


def test_parameters_are_validated_before_any_statement(db: Database) -> None:
    invalid = {"Statement": "INSERT INTO hash VALUE {'pk': 'd', 's': ?}", "Parameters": [{"SS": ["a", "a"]}]}
    with pytest.raises(ServiceError) as caught:
        transact(db, "SELEC", invalid)
    assert caught.value.message == (
        "One or more parameter values were invalid: Input collection [a, a] contains duplicates."
    )
