"""NextToken: continues its own statement only."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.dynamodb.expressions.plain import item
from tests.engine.statements import TABLES


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    for table in TABLES:
        database.call("CreateTable", table)
    yield database
    database.close()


def execute(db: Database, statement: str, *parameters: Any, **members: Any) -> dict[str, Any]:
    """The reply to a statement."""
    request = {"Statement": statement, **members}
    if parameters:
        request["Parameters"] = list(parameters)
    return db.call("ExecuteStatement", request)


def error_message(db: Database, statement: str, *parameters: Any, **members: Any) -> str:
    """The error message of a statement."""
    with pytest.raises(ServiceError) as caught:
        execute(db, statement, *parameters, **members)
    return caught.value.message


@pytest.fixture
def filled(db: Database) -> Database:
    """Three partitions with four items each."""
    for pk in "abc":
        for at in range(4):
            db.call("PutItem", {"TableName": "timed", "Item": item({"pk": pk, "at#": at, "odd": at % 2})})
    return db


def test_a_token_continues_its_own_statement_only(filled: Database) -> None:
    statement = "SELECT * FROM timed WHERE pk = ?"
    token = execute(filled, statement, {"S": "a"}, Limit=1)["NextToken"]
    other = "NextToken does not match request"
    assert error_message(filled, statement, {"S": "b"}, NextToken=token) == other
    assert error_message(filled, "SELECT pk FROM timed WHERE pk = ?", {"S": "a"}, NextToken=token) == other
    rest = execute(filled, statement, {"S": "a"}, NextToken=token, Limit=9, ConsistentRead=True)
    assert [each["at#"]["N"] for each in rest["Items"]] == ["1", "2", "3"]


@pytest.mark.parametrize("token", ["garbage", "e30=", "WyJhIiwxLHt9XQ==", "W10=", "bnVsbA=="])
def test_an_invented_token_is_invalid(filled: Database, token: str) -> None:
    words = error_message(filled, "SELECT * FROM timed", NextToken=token)
    assert words in ("Invalid NextToken", "NextToken does not match request")
