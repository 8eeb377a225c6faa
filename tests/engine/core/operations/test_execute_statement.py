"""ExecuteStatement: golden cases, and cases that do not fit into one line."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ConditionalCheckFailed, ServiceError
from tests.dynamodb.expressions.plain import item
from tests.engine.statements import TABLES, play


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    for table in TABLES:
        database.call("CreateTable", table)
    yield database
    database.close()


@pytest.mark.parametrize("name", ["writes.txt", "reads.txt", "indexes.txt"])
def test_cases(name: str, db: Database, update_golden: bool) -> None:
    play(name, db, update=update_golden)


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


def pages(db: Database, statement: str, limit: int) -> list[list[dict[str, Any]]]:
    """All pages of a statement."""
    reply = execute(db, statement, Limit=limit)
    found = [reply["Items"]]
    while "NextToken" in reply:
        reply = execute(db, statement, Limit=limit, NextToken=reply["NextToken"])
        found.append(reply["Items"])
    return found


@pytest.fixture
def filled(db: Database) -> Database:
    """Three partitions with four items each."""
    for pk in "abc":
        for at in range(4):
            db.call("PutItem", {"TableName": "timed", "Item": item({"pk": pk, "at#": at, "odd": at % 2})})
    return db


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 12, 100])
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM timed",
        "SELECT * FROM timed WHERE odd = 1",
        "SELECT * FROM timed WHERE pk = 'b'",
        "SELECT * FROM timed WHERE pk = 'b' ORDER BY \"at#\" DESC",
        "SELECT * FROM timed WHERE pk IN ['c', 'a'] AND \"at#\" IN [3, 1]",
        "SELECT * FROM timed WHERE pk IN ['c', 'x', 'a'] AND odd = 0 ORDER BY pk DESC, \"at#\" DESC",
    ],
)
def test_pages_add_up_to_the_whole(filled: Database, statement: str, limit: int) -> None:
    whole = execute(filled, statement)
    assert "NextToken" not in whole
    found = pages(filled, statement, limit)
    assert [each for page in found for each in page] == whole["Items"]
    assert all(len(page) <= limit for page in found)


def test_a_limit_counts_what_is_read(filled: Database) -> None:
    reply = execute(filled, "SELECT * FROM timed WHERE pk = 'a' AND odd = 5", Limit=2)
    assert reply["Items"] == []
    assert reply["LastEvaluatedKey"] == item({"pk": "a", "at#": 1})
    assert "1 validation error detected" in error_message(filled, "SELECT * FROM timed", Limit=0)


def test_a_page_ends_after_a_megabyte(db: Database) -> None:
    for number in range(6):
        db.call(
            "PutItem", {"TableName": "timed", "Item": item({"pk": "a", "at#": number, "fat": "x" * 300_000})}
        )
    reply = execute(db, "SELECT \"at#\" FROM timed WHERE pk = 'a'")
    assert len(reply["Items"]) == 4
    rest = execute(db, "SELECT \"at#\" FROM timed WHERE pk = 'a'", NextToken=reply["NextToken"])
    assert len(rest["Items"]) == 2
    assert "NextToken" not in rest


def units(db: Database, statement: str, **members: Any) -> dict[str, Any]:
    """What a statement consumed."""
    consumed: dict[str, Any] = execute(db, statement, ReturnConsumedCapacity="INDEXES", **members)[
        "ConsumedCapacity"
    ]
    return consumed


def test_capacity_of_reads(filled: Database) -> None:
    whole = "SELECT * FROM timed WHERE pk = 'a'"
    assert units(filled, whole)["CapacityUnits"] == 0.5
    assert units(filled, whole, ConsistentRead=True)["CapacityUnits"] == 1.0
    assert units(filled, "SELECT * FROM timed WHERE pk IN ['a', 'b', 'x']")["CapacityUnits"] == 1.5
    assert units(filled, "SELECT * FROM timed")["CapacityUnits"] == 2.0


def test_capacity_is_charged_to_the_index(db: Database) -> None:
    for number in range(3):
        row = {"pk": "p", "sk": f"s{number}", "g": "x", "l": f"l{number}", "lost": "n"}
        db.call("PutItem", {"TableName": "indexed", "Item": item(row)})
    keyed = units(db, 'SELECT pk FROM "indexed"."by-g" WHERE g = \'x\'')
    assert keyed["Table"]["CapacityUnits"] == 0.0
    assert keyed["GlobalSecondaryIndexes"] == {"by-g": {"CapacityUnits": 0.5}}
    fetched = units(db, 'SELECT lost FROM "indexed"."by-l-keys" WHERE pk = \'p\'')
    assert fetched["Table"]["CapacityUnits"] == 1.5
    assert fetched["LocalSecondaryIndexes"] == {"by-l-keys": {"CapacityUnits": 0.5}}
    one = units(db, 'SELECT lost FROM "indexed"."by-l-keys" WHERE pk = \'p\'', Limit=1)
    assert one["Table"]["CapacityUnits"] == 0.5


def test_capacity_of_writes(db: Database) -> None:
    row = "{'pk': 'p', 'sk': 's', 'g': 'x', 'l': 'l'}"
    insert = units(db, f"INSERT INTO indexed VALUE {row}")
    assert insert["CapacityUnits"] == 4.0
    assert insert["Table"]["CapacityUnits"] == 1.0
    assert units(db, "UPDATE indexed SET n = 1 WHERE pk = 'p' AND sk = 's'")["Table"]["CapacityUnits"] == 1.0
    assert units(db, "DELETE FROM indexed WHERE pk = 'p' AND sk = 's'")["CapacityUnits"] == 4.0
    assert units(db, "DELETE FROM indexed WHERE pk = 'p' AND sk = 's'")["CapacityUnits"] == 1.0


def test_global_indexes_cannot_be_read_consistently(db: Database) -> None:
    by_g = 'SELECT * FROM "indexed"."by-g" WHERE g = \'x\''
    assert error_message(db, by_g, ConsistentRead=True) == (
        "Strongly consistent read is not supported on Global Secondary Indexes"
    )
    assert execute(db, 'SELECT * FROM "indexed"."by-l" WHERE pk = \'x\'', ConsistentRead=True)["Items"] == []


def test_a_failed_condition_returns_the_item_on_request(db: Database) -> None:
    execute(db, "INSERT INTO hash VALUE {'pk': 'a', 'n': 1}")
    statement = "UPDATE hash SET n = 2 WHERE pk = 'a' AND n = 5"
    with pytest.raises(ConditionalCheckFailed) as silent:
        execute(db, statement)
    assert silent.value.details() == {}
    status, body = db.call_json(
        "ExecuteStatement",
        b'{"Statement": "UPDATE hash SET n = 2 WHERE pk = \'a\' AND n = 5",'
        b' "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}',
    )
    assert status == 400
    assert b'"Item":{"pk":{"S":"a"},"n":{"N":"1"}}' in body


def test_binary_parameters_are_bytes(db: Database) -> None:
    execute(db, "INSERT INTO hash VALUE {'pk': 'a', 'raw': ?}", {"B": b"abc"})
    found = execute(db, "SELECT raw FROM hash WHERE pk = 'a' AND raw = ?", {"B": b"abc"})
    assert found["Items"] == [{"raw": {"B": b"abc"}}]


@pytest.mark.parametrize(("length", "fits"), [(8191, True), (8192, True), (8193, False)])
def test_a_statement_has_at_most_8192_characters(db: Database, length: int, fits: bool) -> None:
    statement = "SELECT * FROM hash".ljust(length)
    if fits:
        assert execute(db, statement)["Items"] == []
    else:
        assert "Member must have length less than or equal to 8192" in error_message(db, statement)


def test_an_item_may_have_400_kilobytes(db: Database) -> None:
    room = 400 * 1024 - len("pkxp")
    insert = "INSERT INTO hash VALUE {'pk': 'x', 'p': ?}"
    assert (
        error_message(db, insert, {"S": "v" * (room + 1)})
        == "Item size has exceeded the maximum allowed size"
    )
    execute(db, insert, {"S": "v" * room})
    update = "UPDATE hash SET p = ? WHERE pk = 'x'"
    execute(db, update, {"S": "w" * room})
    assert error_message(db, update, {"S": "w" * (room + 1)}) == (
        "Item size to update has exceeded the maximum allowed size"
    )
