"""Vector index updates: vector indexes that UpdateTable creates while clients write, and deletes."""

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.jobs.job_runner import Jobs
from tablewright.engine.core.state import row_batches
from tablewright.engine.database import Database
from tablewright.engine.features.vectors.vector_index import vector_indexes_of
from tablewright.engine.storage import open_store
from tablewright.errors import LimitExceeded, ResourceInUse, ResourceNotFound, ServiceError, ValidationError
from tests.engine.core.jobs.test_index_builds import between_steps
from tests.engine.features.vectors.vector_table import (
    BY_TENANT,
    NAMED,
    create_request,
    delete_request,
    found,
    put,
    search_request,
    update_request,
    vector,
    vector_index,
)
from tests.engine.integrity import assert_indexes_match
from tests.forked_processes import ForkedProcess

ROOT = Path(__file__).parents[4]
ITEMS = 60
INVALID = "One or more parameter values were invalid: "


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of seven rows, on a slow machine too."""
    monkeypatch.setattr(row_batches, "MAX_ROWS", 7)
    monkeypatch.setattr(row_batches, "MAX_SECONDS", 60.0)


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    database = Database(open_store(None if request.param == "memory" else tmp_path / "data.db", "relaxed"))
    fill(database)
    yield database
    database.close()


def fill(db: Database) -> None:
    db.call("CreateTable", create_request())
    for number in range(ITEMS):
        write(db, number, number)


def write(db: Database, number: int, direction: int) -> None:
    put(db, f"d{number}", direction, 1, 0, tenant="red" if number % 2 else "blue")


def describe(db: Database) -> dict[str, Any]:
    return db.call("DescribeTable", NAMED)["Table"]  # type: ignore[no-any-return]


def update_error(db: Database, request: dict[str, Any]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        db.call("UpdateTable", request)
    return caught.value


def assert_complete(db: Database, items: int) -> None:
    shown = describe(db)
    (index,) = shown["VectorIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"], index["ItemCount"]) == ("ACTIVE", "ACTIVE", items)
    assert "Backfilling" not in index
    assert_indexes_match(db)
    (compiled,) = vector_indexes_of(db.state.catalog.table("documents"))
    counted = db.state.store.read(lambda rows: rows.totals(compiled.space))
    assert (index["ItemCount"], index["IndexSizeBytes"]) == counted


def test_an_index_is_built_from_the_items_of_the_table(db: Database) -> None:
    db.call("UpdateTable", update_request(BY_TENANT))
    assert_complete(db, ITEMS)
    names = [each["AttributeName"] for each in describe(db)["AttributeDefinitions"]]
    assert names == ["id", "kind", "tenant"]


def test_items_that_the_index_would_reject_are_left_out(db: Database) -> None:
    for name, value in (("text", {"S": "x"}), ("short", vector(1)), ("mixed", {"L": [{"S": "x"}] * 3})):
        db.call("PutItem", {**NAMED, "Item": {"id": {"S": name}, "v": value}})
    db.call("PutItem", {**NAMED, "Item": {"id": {"S": "without"}}})
    db.call("UpdateTable", update_request(vector_index()))
    assert_complete(db, ITEMS)
    # An update of other attributes is accepted; one of the vector is checked.
    change = {"ExpressionAttributeValues": {":v": {"S": "new"}}, "Key": {"id": {"S": "text"}}}
    db.call("UpdateItem", {**NAMED, **change, "UpdateExpression": "SET title = :v"})
    with pytest.raises(ValidationError, match="Invalid type for parameter v, Expected: 32-bit floating"):
        db.call("UpdateItem", {**NAMED, **change, "UpdateExpression": "SET v = :v"})
    assert_complete(db, ITEMS)


def test_an_index_in_creation_is_shown_and_cannot_be_searched(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        shown = db.call("UpdateTable", update_request(vector_index()))["TableDescription"]
        (index,) = shown["VectorIndexes"]
        assert (shown["TableStatus"], index["IndexStatus"]) == ("UPDATING", "CREATING")
        assert index["Backfilling"] is False
        shown = describe(db)
        (index,) = shown["VectorIndexes"]
        assert (shown["TableStatus"], index["IndexStatus"]) == ("ACTIVE", "CREATING")
        assert index["Backfilling"] is True
        with pytest.raises(ValidationError, match=r"^Cannot search backfilling vector index: by-vector$"):
            db.call("SearchVectors", search_request(1, 0, 0))
        with pytest.raises(ValidationError, match="Invalid size for parameter v, Expected: 3, Actual: 2"):
            put(db, "short", 1, 2)
        with pytest.raises(
            ResourceInUse,
            match=r"Cannot delete table while indexes are being created, updated, or deleted\.$",
        ):
            db.call("DeleteTable", NAMED)
        with pytest.raises(LimitExceeded, match="Only 1 online index can be created or deleted simul"):
            db.call("UpdateTable", update_request(vector_index("another")))
        error = update_error(db, update_request(vector_index()))
        assert isinstance(error, ResourceInUse)
        assert error.message == (
            "Attempt to change a resource which is still in use: Index is being created.  "
            "Table: documents Index: by-vector"
        )
    db.jobs.wake()
    db.jobs.wait()
    assert_complete(db, ITEMS)
    assert len(found(db, 1, 0, 0, TopK=100)) == ITEMS


def test_an_index_can_be_deleted_while_it_is_built(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("UpdateTable", update_request(BY_TENANT))
        space = db.state.catalog.table("documents").other_indexes[0].space
        shown = db.call("UpdateTable", delete_request("by-tenant"))["TableDescription"]
        assert shown["VectorIndexes"][0]["IndexStatus"] == "DELETING"
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert "VectorIndexes" not in describe(db)
    assert [each["AttributeName"] for each in describe(db)["AttributeDefinitions"]] == ["id"]
    assert not db.state.store.read(lambda rows: rows.has_space(space))
    with pytest.raises(ValidationError, match="The table does not have the specified index: by-tenant"):
        db.call("SearchVectors", search_request(1, 0, 0, IndexName="by-tenant"))
    put(db, "short", 1, 2)


def test_writes_between_steps_are_in_the_index(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    seen: set[str] = set()

    def change() -> None:
        if not db.state.catalog.table("documents").definition.get("Building"):
            return
        number = chance.randrange(ITEMS + 20)
        action = chance.choice(["put", "delete", "remove vector"])
        seen.add(action)
        if action == "delete":
            db.call("DeleteItem", {**NAMED, "Key": {"id": {"S": f"d{number}"}}})
        elif action == "put":
            write(db, number, chance.randrange(100))
        else:
            put(db, f"d{number}")

    with monkeypatch.context() as patch:
        between_steps(patch, change)
        for _ in range(5):
            db.call("UpdateTable", update_request(BY_TENANT))
            db.jobs.wait_for_all()
            assert describe(db)["VectorIndexes"][0]["IndexStatus"] == "ACTIVE"
            assert_indexes_match(db)
            db.call("UpdateTable", delete_request("by-tenant"))
            db.jobs.wait_for_all()
    assert seen == {"put", "delete", "remove vector"}


@pytest.mark.parametrize(
    ("request_", "code", "message"),
    [
        (
            {**NAMED, "VectorIndexUpdates": [{}]},
            "ValidationException",
            f"{INVALID}One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null",
        ),
        (
            {
                **NAMED,
                "VectorIndexUpdates": [{"Create": vector_index("new"), "Delete": {"IndexName": "by-vector"}}],
            },
            "ValidationException",
            f"{INVALID}Only one vector index action is allowed per VectorIndexUpdate object",
        ),
        (
            {**NAMED, "VectorIndexUpdates": [{"Create": vector_index(name)} for name in ("aaa", "bbb")]},
            "LimitExceededException",
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
        ),
        (
            update_request(vector_index()),
            "ValidationException",
            "Attempting to create an index which already exists",
        ),
        (
            update_request(vector_index("new", Dimensions=4)),
            "ValidationException",
            f"{INVALID}Conflicting attribute definition for 'v'. All VectorIndexes on the same vector attribute "
            "must use the same dimensions.",
        ),
        (
            {**NAMED, "VectorIndexUpdates": [{"Create": {**BY_TENANT, "IndexName": "new"}}]},
            "ValidationException",
            f"{INVALID}One element in SearchSchema is not defined in attribute definitions",
        ),
        (
            update_request(vector_index("new", VectorAttribute={"AttributeName": "id"})),
            "ValidationException",
            f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as "
            "previously defined. Existing schema: Schema:[SchemaElement: key{id:S:HASH}] New schema: "
            "VectorIndexSchema:[VectorAttribute: key{id:L:3}]",
        ),
        (
            delete_request("missing"),
            "ResourceNotFoundException",
            "Requested resource not found: Index missing for table documents",
        ),
        (
            {
                **NAMED,
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            },
            "ValidationException",
            f"{INVALID}Vector indexes are only supported for PAY_PER_REQUEST tables",
        ),
        (
            {
                **NAMED,
                "AttributeDefinitions": [{"AttributeName": "v", "AttributeType": "S"}],
                "GlobalSecondaryIndexUpdates": [
                    {
                        "Create": {
                            "IndexName": "by-v",
                            "KeySchema": [{"AttributeName": "v", "KeyType": "HASH"}],
                            "Projection": {"ProjectionType": "ALL"},
                        }
                    }
                ],
            },
            "ValidationException",
            f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as "
            "previously defined. Existing schema: VectorIndexSchema:[VectorAttribute: key{v:L:3}] New schema: "
            "Schema:[SchemaElement: key{v:S:HASH}]",
        ),
        (
            {**update_request(vector_index("new")), "StreamSpecification": {"StreamEnabled": False}},
            "ValidationException",
            f"{INVALID}You cannot create or delete index while changing stream status",
        ),
    ],
)
def test_invalid_updates_are_rejected(request_: dict[str, Any], code: str, message: str) -> None:
    db = Database(open_store())
    db.call("CreateTable", create_request(vector_index()))
    error = update_error(db, request_)
    assert (error.code, error.message) == (code, message)
    db.close()


def test_a_sixth_index_exceeds_the_limit() -> None:
    db = Database(open_store())
    db.call("CreateTable", create_request(*(vector_index(f"index-{number}") for number in range(5))))
    error = update_error(db, update_request(vector_index()))
    assert (error.code, error.message) == (
        "LimitExceededException",
        "Subscriber limit exceeded: Number of vector secondary indexes exceeds per-table limit of 5",
    )
    db.close()


def test_a_provisioned_table_gets_no_vector_index() -> None:
    db = Database(open_store())
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    db.call("CreateTable", create_request(BillingMode="PROVISIONED", ProvisionedThroughput=units))
    error = update_error(db, update_request(vector_index()))
    assert error.message == f"{INVALID}Vector indexes are only supported for PAY_PER_REQUEST tables"
    db.call("UpdateTable", {**update_request(vector_index()), "BillingMode": "PAY_PER_REQUEST"})
    assert describe(db)["VectorIndexes"][0]["IndexStatus"] == "ACTIVE"
    db.close()


def test_a_deleted_name_is_unknown() -> None:
    db = Database(open_store())
    db.call("CreateTable", create_request(vector_index()))
    db.call("UpdateTable", delete_request())
    with pytest.raises(ResourceNotFound):
        db.call("UpdateTable", delete_request())
    db.close()


BUILDER = """
import os, sys
from tablewright.engine.core.jobs.job_runner import Job
from tablewright.engine.database import Database
from tablewright.engine.core.state import row_batches
from tablewright.engine.storage import open_store
from tests.engine.features.vectors.vector_table import put, update_request, BY_TENANT

row_batches.MAX_ROWS = 7
write = Job.write
steps = [0]

def write_and_report(job, work):
    result = write(job, work)
    steps[0] += 1
    put(db, f"d{steps[0]}", 9, 9, 9, tenant="green")
    os.write(1, b"step\\n")
    return result

Job.write = write_and_report
db = Database(open_store(sys.argv[1]))
if "VectorIndexes" not in db.state.catalog.table("documents").description:
    db.call("UpdateTable", update_request(BY_TENANT))
db.jobs.wait_for_all()
os.write(1, b"built\\n")
"""


def test_a_build_that_is_killed_at_each_step_continues(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    db = Database(open_store(path))
    fill(db)
    db.close()
    kills = 0
    while True:
        command = [sys.executable, "-c", BUILDER, str(path)]
        with ForkedProcess(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as builder:
            assert builder.stdout is not None
            line = builder.stdout.readline().strip()
            builder.send_signal(signal.SIGKILL)
        if line == "built":
            break
        assert line == "step"
        kills += 1
        db = Database(open_store(path))
        db.jobs.stop()
        assert describe(db)["VectorIndexes"][0]["IndexStatus"] in ("CREATING", "ACTIVE")
        db.close()
    # How many steps a killed process had made beyond the one that it reported depends on the machine.
    assert kills >= 1, "the build was interrupted"
    db = Database(open_store(path))
    db.jobs.wait_for_all()
    assert_complete(db, ITEMS)
    db.close()
