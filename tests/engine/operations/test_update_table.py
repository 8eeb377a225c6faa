"""UpdateTable: rules, what the reply shows on the way, and what stands when it is done."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.state.clock import Clock
from tablewright.errors import LimitExceeded, ServiceError
from tablewright.storage import open_store
from tests.engine.table_cases import answer_to, index_of, play, request_of

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


def add_index(db: Database, name: str, *words: str, **types: str) -> dict[str, Any]:
    return update(
        db,
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in types.items()],
        GlobalSecondaryIndexUpdates=[{"Create": index_of(name, *words)}],
    )


def scanned(db: Database, index: str) -> list[str]:
    return sorted(
        item["artist"]["S"] for item in db.call("Scan", {"TableName": "music", "IndexName": index})["Items"]
    )


def test_golden_cases(db: Database, update_golden: bool) -> None:
    play("update_table.txt", db, update=update_golden)


def test_the_reply_shows_old_throughput_and_the_next_look_the_new(db: Database) -> None:
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


def test_capacity_is_lowered_four_times_a_day_and_then_once_an_hour(db: Database) -> None:
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


def test_a_maximum_is_set_and_taken_away(db: Database) -> None:
    create(db, "artist | artist:S")
    update(db, OnDemandThroughput={"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": 8})
    update(db, OnDemandThroughput={"MaxReadRequestUnits": -1})
    assert describe(db)["OnDemandThroughput"] == {"MaxWriteRequestUnits": 8}
    update(db, OnDemandThroughput={"MaxWriteRequestUnits": -1})
    assert "OnDemandThroughput" not in describe(db)


def test_a_new_index_holds_the_items_that_fit_it(db: Database) -> None:
    create(db, "artist | artist:S")
    fitting = {"text": {"S": "x"}, "longest": {"S": "x" * 2048}, "spread": {"S": "é" * 1024}}
    unfit = {
        "number": {"N": "1"},
        "empty": {"S": ""},
        "long": {"S": "x" * 2049},
        "wide": {"S": "é" * 1025},
        "nothing": {"NULL": True},
    }
    for artist, year in {**fitting, **unfit}.items():
        db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": artist}, "year": year}})
    db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": "none"}}})
    shown = add_index(db, "by-year", "year", year="S")
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"], index["Backfilling"], index["ItemCount"]) == (
        "UPDATING",
        "CREATING",
        False,
        0,
    )
    settled = describe(db)
    (index,) = settled["GlobalSecondaryIndexes"]
    assert (settled["TableStatus"], index["IndexStatus"], index["ItemCount"]) == ("ACTIVE", "ACTIVE", 3)
    assert "Backfilling" not in index
    assert scanned(db, "by-year") == sorted(fitting)
    for artist in unfit:
        db.call("DeleteItem", {"TableName": "music", "Key": {"artist": {"S": artist}}})
    assert describe(db)["GlobalSecondaryIndexes"][0]["ItemCount"] == 3


def test_range_keys_of_a_new_index_are_measured_together(db: Database) -> None:
    create(db, "artist | artist:S")
    for artist, length in {"below": 1023, "at": 1024, "above": 1025}.items():
        values = {"a": {"S": "x" * (length - 500)}, "b": {"B": b"y" * 500}}
        db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": artist}, **values}})
    add_index(db, "by-a-b", "artist", "a", "b", artist="S", a="S", b="B")
    assert scanned(db, "by-a-b") == ["at", "below"]


def test_a_new_index_follows_the_table_and_types_its_attributes(db: Database) -> None:
    create(db, "artist | artist:S")
    add_index(db, "by-year", "year", year="N")
    assert describe(db)["AttributeDefinitions"] == [
        {"AttributeName": "artist", "AttributeType": "S"},
        {"AttributeName": "year", "AttributeType": "N"},
    ]
    db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": "a"}, "year": {"N": "1"}}})
    assert scanned(db, "by-year") == ["a"]
    wrong = {"TableName": "music", "Item": {"artist": {"S": "b"}, "year": {"S": "1"}}}
    assert "Type mismatch for Index Key year" in answer_to(db, "PutItem", wrong)
    shown = update(db, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-year"}}])
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"]) == ("UPDATING", "DELETING")
    settled = describe(db)
    assert "GlobalSecondaryIndexes" not in settled
    assert settled["AttributeDefinitions"] == [{"AttributeName": "artist", "AttributeType": "S"}]
    assert answer_to(db, "PutItem", wrong) == "ok"
    assert "does not have the specified index" in answer_to(
        db, "Scan", {"TableName": "music", "IndexName": "by-year"}
    )


def test_an_attribute_that_another_index_needs_stays_defined(db: Database) -> None:
    create(db, "artist | artist:S year:N + gsi one year + gsi two year")
    update(db, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "one"}}])
    assert [entry["AttributeName"] for entry in describe(db)["AttributeDefinitions"]] == ["artist", "year"]
    assert [index["IndexName"] for index in describe(db)["GlobalSecondaryIndexes"]] == ["two"]


def test_an_index_is_made_again_under_its_name(db: Database) -> None:
    create(db, "artist | artist:S")
    db.call(
        "PutItem",
        {"TableName": "music", "Item": {"artist": {"S": "a"}, "year": {"N": "1"}, "mood": {"S": "m"}}},
    )
    for key, kind in (("year", "N"), ("mood", "S")):
        add_index(db, "by-some", key, **{key: kind})
        assert scanned(db, "by-some") == ["a"]
        update(db, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-some"}}])


def test_the_twenty_first_index_is_one_too_many(db: Database) -> None:
    indexes = " ".join(f"+ gsi index-{number} artist" for number in range(19))
    create(db, f"artist | artist:S {indexes}")
    add_index(db, "index-20", "artist", artist="S")
    with pytest.raises(
        LimitExceeded, match="Number of global secondary indexes exceeds per-table limit of 20"
    ):
        add_index(db, "index-21", "artist", artist="S")


def test_an_index_can_be_changed_beside_one_that_is_made(db: Database) -> None:
    index = {**index_of("same", "artist"), "ProvisionedThroughput": units(3, 3)}
    create(
        db,
        "artist | artist:S",
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(5, 5),
        GlobalSecondaryIndexes=[index],
    )
    shown = update(
        db,
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[
            {"Create": {**index, "IndexName": "other"}},
            {"Update": {"IndexName": "same", "ProvisionedThroughput": units(4, 3)}},
        ],
    )
    assert [each["IndexStatus"] for each in shown["GlobalSecondaryIndexes"]] == ["UPDATING", "CREATING"]
    assert shown["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert describe(db)["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 4


def test_each_enabling_makes_a_new_stream_even_while_time_stands_still(db: Database) -> None:
    create(db, "artist | artist:S")
    labels = []
    for view in ("KEYS_ONLY", "NEW_IMAGE"):
        request = {
            "TableName": "music",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": view},
        }
        shown = db.call("UpdateTable", request)["TableDescription"]
        assert shown["TableStatus"] == "UPDATING"
        assert shown["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": view}
        labels.append(shown["LatestStreamLabel"])
        db.call("UpdateTable", {"TableName": "music", "StreamSpecification": {"StreamEnabled": False}})
        settled = describe(db)
        assert "StreamSpecification" not in settled
        assert settled["LatestStreamLabel"] == labels[-1]
    assert labels == ["2023-11-14T22:13:20.000", "2023-11-14T22:13:20.001"]
    entries = db.state.catalog.table("music").definition["Streams"]
    assert [entry["ViewType"] for entry in entries] == ["KEYS_ONLY", "NEW_IMAGE"]
    assert all(entry["Closed"] is not None for entry in entries)


def test_encryption_and_class_on_the_way(db: Database) -> None:
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


def test_protection_holds_at_once(db: Database) -> None:
    create(db, "artist | artist:S")
    shown = update(db, DeletionProtectionEnabled=True)
    assert (shown["TableStatus"], shown["DeletionProtectionEnabled"]) == ("ACTIVE", True)


def test_a_refused_update_changes_nothing(db: Database) -> None:
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
