"""Throughput: billing modes, and how often capacity may decrease."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import LimitExceeded
from tests.engine.table_cases import index_of, request_of

DAY = 24 * 3600


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


def test_the_reply_shows_the_old_throughput_and_the_next_description_the_new(db: Database) -> None:
    provisioned(db)
    shown = update(db, ProvisionedThroughput=units(7, 4))
    assert shown["TableStatus"] == "UPDATING"
    assert shown["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        **units(5, 5),
        "LastIncreaseDateTime": 1_700_000_001,
        "LastDecreaseDateTime": 1_700_000_001,
    }
    settled = describe(db)
    assert settled["TableStatus"] == "ACTIVE"
    assert settled["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 1,
        **units(7, 4),
        "LastIncreaseDateTime": 1_700_000_001,
        "LastDecreaseDateTime": 1_700_000_001,
    }
    assert settled["WarmThroughput"] == {
        "ReadUnitsPerSecond": 7,
        "WriteUnitsPerSecond": 5,
        "Status": "ACTIVE",
    }


def test_capacity_decreases_four_times_a_day_and_then_once_an_hour(db: Database) -> None:
    provisioned(db, 9, 9)
    for read in (8, 7, 6, 5):
        update(db, ProvisionedThroughput=units(read, 9))
    with pytest.raises(LimitExceeded, match="Number of decreases today: 4"):
        update(db, ProvisionedThroughput=units(4, 9))
    update(db, ProvisionedThroughput=units(10, 9))
    db.clock.advance(3600)
    update(db, ProvisionedThroughput=units(4, 9))
    assert describe(db)["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 5
    db.clock.advance(DAY)
    assert describe(db)["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    update(db, ProvisionedThroughput=units(3, 9))


def test_from_provisioned_to_on_demand_and_back(db: Database) -> None:
    index = {**index_of("same", "artist"), "ProvisionedThroughput": units(3, 3)}
    create(
        db,
        "artist | artist:S",
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(5, 5),
        GlobalSecondaryIndexes=[index],
    )
    assert "BillingModeSummary" not in describe(db)
    shown = update(db, BillingMode="PAY_PER_REQUEST")
    assert (shown["TableStatus"], shown["GlobalSecondaryIndexes"][0]["IndexStatus"]) == (
        "UPDATING",
        "UPDATING",
    )
    assert shown["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    settled = describe(db)
    assert settled["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == 1_700_000_001
    assert settled["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(0, 0)}
    assert settled["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    update(db, OnDemandThroughput={"MaxReadRequestUnits": 9})
    change = {"IndexName": "same", "ProvisionedThroughput": units(2, 2)}
    update(
        db,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(4, 4),
        GlobalSecondaryIndexUpdates=[{"Update": change}],
    )
    settled = describe(db)
    assert settled["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert settled["ProvisionedThroughput"]["ReadCapacityUnits"] == 4
    assert settled["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        **units(2, 2),
    }
    assert "OnDemandThroughput" not in settled


def test_a_maximum_is_set_and_removed(db: Database) -> None:
    create(db, "artist | artist:S")
    update(db, OnDemandThroughput={"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": 8})
    update(db, OnDemandThroughput={"MaxReadRequestUnits": -1})
    assert describe(db)["OnDemandThroughput"] == {"MaxWriteRequestUnits": 8}
    update(db, OnDemandThroughput={"MaxWriteRequestUnits": -1})
    assert "OnDemandThroughput" not in describe(db)
