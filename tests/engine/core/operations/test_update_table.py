"""UpdateTable: rules, the description during the update, and the table after it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.engine.table_cases import play, request_of


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=1_700_000_000))
    yield database
    database.close()


def create(db: Database, notation: str, **members: Any) -> None:
    db.call("CreateTable", {**request_of("music", notation), **members})


def update(db: Database, **members: Any) -> dict[str, Any]:
    db.clock.advance(1)
    return db.call("UpdateTable", {"TableName": "music", **members})["TableDescription"]  # type: ignore[no-any-return]


def describe(db: Database) -> dict[str, Any]:
    return db.call("DescribeTable", {"TableName": "music"})["Table"]  # type: ignore[no-any-return]


def units(read: int, write: int) -> dict[str, int]:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def provisioned(db: Database, read: int = 5, write: int = 5, notation: str = "artist | artist:S") -> None:
    create(db, notation, BillingMode="PROVISIONED", ProvisionedThroughput=units(read, write))


def test_golden_cases(db: Database, update_golden: bool) -> None:
    play("update_table.txt", db, update=update_golden)


def test_the_reply_shows_encryption_and_class_as_updating(db: Database) -> None:
    create(db, "artist | artist:S")
    shown = update(db, SSESpecification={"Enabled": True})
    assert (shown["TableStatus"], shown["SSEDescription"]) == ("ACTIVE", {"Status": "UPDATING"})
    assert describe(db)["SSEDescription"]["Status"] == "ENABLED"
    update(db, SSESpecification={"Enabled": False})
    assert "SSEDescription" not in describe(db)
    shown = update(db, TableClass="STANDARD_INFREQUENT_ACCESS")
    assert (shown["TableStatus"], "TableClassSummary" in shown) == ("UPDATING", False)
    assert describe(db)["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    shown = update(db, TableClass="STANDARD")
    assert shown["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert describe(db)["TableClassSummary"]["TableClass"] == "STANDARD"


def test_deletion_protection_takes_effect_at_once(db: Database) -> None:
    create(db, "artist | artist:S")
    shown = update(db, DeletionProtectionEnabled=True)
    assert (shown["TableStatus"], shown["DeletionProtectionEnabled"]) == ("ACTIVE", True)


def test_a_rejected_update_writes_nothing(db: Database) -> None:
    provisioned(db, notation="artist | artist:S")
    before = describe(db)
    with pytest.raises(ServiceError):
        update(
            db,
            ProvisionedThroughput=units(6, 6),
            GlobalSecondaryIndexUpdates=[
                {"Update": {"IndexName": "absent", "ProvisionedThroughput": units(1, 1)}}
            ],
        )
    assert describe(db) == before
