"""Insight settings: what the operations of contributor insights show."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceNotFound, ValidationError
from tests.engine.table_cases import request_of

MUSIC = "artist song | song:S artist:S year:N + lsi by-year artist year + gsi by-song song"
RULES = [f"DynamoDBContributorInsights-{kind}-music-1700000000000" for kind in ("PKC", "SKC", "PKT", "SKT")]


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=1_700_000_000.0))
    database.call("CreateTable", request_of("music", MUSIC))
    yield database
    database.close()


def update(db: Database, action: str = "ENABLE", **members: str) -> str:
    request = {"TableName": "music", "ContributorInsightsAction": action, **members}
    return str(db.call("UpdateContributorInsights", request)["ContributorInsightsStatus"])


def describe(db: Database, **members: str) -> dict[str, Any]:
    return db.call("DescribeContributorInsights", {"TableName": "music", **members})


def listed(db: Database, **members: Any) -> list[tuple[str, str | None]]:
    reply = db.call("ListContributorInsights", members)
    return [(each["TableName"], each.get("IndexName")) for each in reply["ContributorInsightsSummaries"]]


def test_insights_are_enabled_and_disabled(db: Database) -> None:
    assert describe(db) == {"TableName": "music", "ContributorInsightsStatus": "DISABLED"}
    assert update(db, "DISABLE") == "DISABLED"
    assert update(db) == "ENABLING"
    assert describe(db) == {
        "TableName": "music",
        "ContributorInsightsRuleList": RULES,
        "ContributorInsightsStatus": "ENABLED",
        "LastUpdateDateTime": 1_700_000_000.0,
        "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS",
    }
    db.clock.advance(5)
    assert update(db) == "ENABLED"
    assert describe(db)["LastUpdateDateTime"] == 1_700_000_000.0
    assert update(db, "DISABLE") == "DISABLING"
    assert describe(db) == {
        "TableName": "music",
        "ContributorInsightsStatus": "DISABLED",
        "LastUpdateDateTime": 1_700_000_005.0,
        "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS",
    }


def test_a_mode_keeps_the_rules_it_shares_with_the_other(db: Database) -> None:
    update(db)
    db.clock.advance(5)
    assert update(db, ContributorInsightsMode="THROTTLED_KEYS") == "ENABLING"
    assert describe(db)["ContributorInsightsRuleList"] == RULES[2:]
    assert update(db) == "ENABLING"
    assert describe(db)["ContributorInsightsMode"] == "ACCESSED_AND_THROTTLED_KEYS"


def test_an_index_has_insights_of_its_own(db: Database) -> None:
    update(db, IndexName="by-song")
    assert describe(db)["ContributorInsightsStatus"] == "DISABLED"
    shown = describe(db, IndexName="by-song")
    assert shown["ContributorInsightsRuleList"] == [
        f"DynamoDBContributorInsights-{kind}-music-by-song-1700000000000" for kind in ("PKC", "PKT")
    ]
    for index in ("missing", "by-year"):
        with pytest.raises(ResourceNotFound, match=f"Index: {index} not found"):
            update(db, IndexName=index)


def test_a_new_index_does_not_inherit_the_insights_of_a_deleted_one(db: Database) -> None:
    update(db, IndexName="by-song")
    db.call(
        "UpdateTable",
        {"TableName": "music", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-song"}}]},
    )
    db.jobs.wait(10)
    assert listed(db) == []
    created = {
        "IndexName": "by-song",
        "KeySchema": [{"AttributeName": "song", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    db.call(
        "UpdateTable",
        {
            "TableName": "music",
            "AttributeDefinitions": [{"AttributeName": "song", "AttributeType": "S"}],
            "GlobalSecondaryIndexUpdates": [{"Create": created}],
        },
    )
    db.jobs.wait(10)
    assert describe(db, IndexName="by-song")["ContributorInsightsStatus"] == "DISABLED"


def test_enabled_insights_are_listed_by_page(db: Database) -> None:
    db.call("CreateTable", request_of("films", "id | id:S"))
    assert listed(db) == []
    update(db)
    update(db, IndexName="by-song")
    update(db, TableName="films")
    assert listed(db) == [("films", None), ("music", None), ("music", "by-song")]
    assert listed(db, TableName="music") == [("music", None), ("music", "by-song")]
    first = db.call("ListContributorInsights", {"MaxResults": 2})
    assert listed(db, NextToken=first["NextToken"]) == [("music", "by-song")]
    update(db, "DISABLE")
    assert listed(db, TableName="music") == [("music", "by-song")]


def test_the_table_must_exist(db: Database) -> None:
    for call in (
        lambda: update(db, TableName="missing"),
        lambda: describe(db, TableName="missing"),
        lambda: listed(db, TableName="missing"),
    ):
        with pytest.raises(ResourceNotFound, match="Table: missing not found"):
            call()
    with pytest.raises(ValidationError, match="Member must satisfy enum value set"):
        update(db, "MAYBE")


def test_insights_are_still_enabled_after_reopening(tmp_path: Path) -> None:
    db = Database(open_store(tmp_path / "app.db"))
    db.call("CreateTable", request_of("music", MUSIC))
    update(db)
    db.close()
    db = Database(open_store(tmp_path / "app.db"))
    assert describe(db)["ContributorInsightsStatus"] == "ENABLED"
    assert db.ask("contributors", "music")["accessed_keys"] == []
    db.close()
