"""Every way to write an item checks its vector and maintains the vector indexes; capacity is shown in bytes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.engine.features.vectors.vector_table import (
    BY_TENANT,
    NAMED,
    create_request,
    found,
    put,
    vector,
    vector_index,
)
from tests.engine.integrity import assert_indexes_match

SIZE = "Invalid size for parameter v, Expected: 3, Actual: 2 IndexName: by-tenant"


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=1_700_000_000))
    database.call("CreateTable", create_request(vector_index(), BY_TENANT))
    put(database, "old", 1, 0, 0, tenant="red")
    yield database
    assert_indexes_match(database)
    database.close()


def by_put(db: Database, value: dict[str, Any]) -> Any:
    return db.call("PutItem", {**NAMED, "Item": {"id": {"S": "new"}, "v": value}})


def by_update(db: Database, value: dict[str, Any]) -> Any:
    return db.call(
        "UpdateItem",
        {
            **NAMED,
            "Key": {"id": {"S": "new"}},
            "UpdateExpression": "SET v = :v",
            "ExpressionAttributeValues": {":v": value},
        },
    )


def by_legacy_update(db: Database, value: dict[str, Any]) -> Any:
    updates = {"v": {"Value": value, "Action": "PUT"}}
    return db.call("UpdateItem", {**NAMED, "Key": {"id": {"S": "new"}}, "AttributeUpdates": updates})


def by_batch(db: Database, value: dict[str, Any]) -> Any:
    request = {"PutRequest": {"Item": {"id": {"S": "new"}, "v": value}}}
    return db.call("BatchWriteItem", {"RequestItems": {"documents": [request]}})


def by_transaction(db: Database, value: dict[str, Any]) -> Any:
    action = {"Put": {**NAMED, "Item": {"id": {"S": "new"}, "v": value}}}
    return db.call("TransactWriteItems", {"TransactItems": [action]})


def by_transaction_update(db: Database, value: dict[str, Any]) -> Any:
    update = {
        **NAMED,
        "Key": {"id": {"S": "new"}},
        "UpdateExpression": "SET v = :v",
        "ExpressionAttributeValues": {":v": value},
    }
    return db.call("TransactWriteItems", {"TransactItems": [{"Update": update}]})


def by_insert(db: Database, value: dict[str, Any]) -> Any:
    statement = {"Statement": "INSERT INTO documents VALUE {'id': 'new', 'v': ?}", "Parameters": [value]}
    return db.call("ExecuteStatement", statement)


def by_partiql_update(db: Database, value: dict[str, Any]) -> Any:
    statement = {"Statement": "UPDATE documents SET v = ? WHERE id = 'old'", "Parameters": [value]}
    return db.call("ExecuteStatement", statement)


def by_partiql_transaction(db: Database, value: dict[str, Any]) -> Any:
    statement = {"Statement": "INSERT INTO documents VALUE {'id': 'new', 'v': ?}", "Parameters": [value]}
    return db.call("ExecuteTransaction", {"TransactStatements": [statement]})


WRITES = [
    by_put,
    by_update,
    by_legacy_update,
    by_batch,
    by_transaction,
    by_transaction_update,
    by_insert,
    by_partiql_update,
    by_partiql_transaction,
]


@pytest.mark.parametrize("write", WRITES)
def test_every_write_is_checked_and_indexed(
    db: Database, write: Callable[[Database, dict[str, Any]], Any]
) -> None:
    with pytest.raises(ServiceError) as caught:
        write(db, vector(1, 2))
    error = caught.value
    reasons = getattr(error, "reasons", None)
    assert SIZE in (error.message if reasons is None else reasons[0]["Message"])
    assert found(db, 0, 0, 1) == ["old"]
    write(db, vector(0, 0, 1))
    (first, *_) = found(db, 0, 0, 1)
    assert first == ("old" if write is by_partiql_update else "new")


def test_part_of_a_batch_with_a_wrong_vector_writes_nothing(db: Database) -> None:
    requests = [
        {"PutRequest": {"Item": {"id": {"S": "right"}, "v": vector(0, 0, 1)}}},
        {"PutRequest": {"Item": {"id": {"S": "wrong"}, "v": vector(0, 1)}}},
    ]
    with pytest.raises(ServiceError, match="Invalid size for parameter v"):
        db.call("BatchWriteItem", {"RequestItems": {"documents": requests}})
    assert found(db, 0, 0, 1) == ["old"]


def test_an_update_that_makes_a_vector_longer_is_rejected(db: Database) -> None:
    request = {**NAMED, "Key": {"id": {"S": "old"}}, "ExpressionAttributeValues": {":one": {"N": "1"}}}
    with pytest.raises(ServiceError, match="Invalid size for parameter v, Expected: 3, Actual: 4"):
        db.call("UpdateItem", {**request, "UpdateExpression": "SET v[3] = :one"})
    db.call("UpdateItem", {**request, "UpdateExpression": "SET v[2] = :one"})
    with pytest.raises(ServiceError, match="Invalid size for parameter v, Expected: 3, Actual: 2"):
        db.call("UpdateItem", {**NAMED, "Key": {"id": {"S": "old"}}, "UpdateExpression": "REMOVE v[0]"})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"S": ""},
            "One or more parameter values are not valid. The update expression attempted to update a secondary index "
            "key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty "
            "string value.",
        ),
        (
            {"N": "1"},
            "One or more parameter values were invalid. Attribute 'tenant' type mismatch. Expected: S, Actual: N. "
            "IndexName: by-tenant",
        ),
        (
            {"S": "x" * 2049},
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 "
            "bytes",
        ),
    ],
)
def test_updates_of_the_partition_key_are_checked(db: Database, value: dict[str, Any], message: str) -> None:
    with pytest.raises(ServiceError) as caught:
        db.call(
            "UpdateItem",
            {
                **NAMED,
                "Key": {"id": {"S": "old"}},
                "UpdateExpression": "SET tenant = :t",
                "ExpressionAttributeValues": {":t": value},
            },
        )
    assert caught.value.message == message


def test_expired_items_leave_the_index(db: Database) -> None:
    ttl = {"AttributeName": "ends", "Enabled": True}
    db.call("UpdateTimeToLive", {**NAMED, "TimeToLiveSpecification": ttl})
    item = {"id": {"S": "short-lived"}, "v": vector(0, 0, 1), "ends": {"N": "1700000001"}}
    db.call("PutItem", {**NAMED, "Item": item})
    assert "short-lived" in found(db, 0, 0, 1)
    db.clock.advance(10)
    db.sweep()
    assert found(db, 0, 0, 1) == ["old"]


def test_a_write_shows_the_bytes_of_the_indexes_that_it_changes(db: Database) -> None:
    consumed = put(db, "new", 0, 1, 0, tenant="red", text="x" * 2000)["ConsumedCapacity"]
    size = 3 * 4 + 1 + (2 + 3) + (6 + 3) + (4 + 2000)
    assert consumed["VectorIndexes"] == {
        name: {"VectorWriteRequestBytes": float(size)} for name in ("by-tenant", "by-vector")
    }
    assert consumed["CapacityUnits"] == consumed["Table"]["CapacityUnits"] == 2.0
    again = put(db, "new", 0, 1, 0, tenant="red", text="x" * 2000)["ConsumedCapacity"]
    assert "VectorIndexes" not in again
    small = put(db, "other", 0, 1, 0)["ConsumedCapacity"]
    assert small["VectorIndexes"] == {"by-vector": {"VectorWriteRequestBytes": 1024.0}}
    assert "VectorIndexes" not in put(db, "plain")["ConsumedCapacity"]


@pytest.mark.parametrize("detail", ["TOTAL", "INDEXES"])
def test_only_indexes_shows_vector_indexes(db: Database, detail: str) -> None:
    request = {"PutRequest": {"Item": {"id": {"S": "new"}, "v": vector(0, 0, 1)}}}
    reply = db.call(
        "BatchWriteItem", {"RequestItems": {"documents": [request]}, "ReturnConsumedCapacity": detail}
    )
    (consumed,) = reply["ConsumedCapacity"]
    assert ("VectorIndexes" in consumed) == (detail == "INDEXES")
    deleted = db.call("DeleteItem", {**NAMED, "Key": {"id": {"S": "new"}}, "ReturnConsumedCapacity": detail})[
        "ConsumedCapacity"
    ]
    assert ("VectorIndexes" in deleted) == (detail == "INDEXES")
