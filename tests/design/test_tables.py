"""Tables: names, environments, key types and the CreateTable request."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tablewright import Index, Table, billing
from tablewright.design.tables import requests_after_creation
from tablewright.errors import DesignError

INVALID: dict[str, tuple[Callable[[], Any], str]] = {
    "a short name": (
        lambda: Table("ab", key="id"),
        r"table 'ab' has a name of 2 characters; DynamoDB allows 3 to 255",
    ),
    "a long name": (lambda: Table("{env}" + "x" * 256, key="id"), r"has a name of 256 characters"),
    "a blank in the name": (
        lambda: Table("my tables", key="id"),
        r"table 'my tables' has ' ' in its name; use letters, digits, '_', '-' and '\.'",
    ),
    "an invalid index name": (
        lambda: Table("table", key="id", indexes=[Index("by#name", "name")]),
        r"index 'by#name' of table table has '#' in its name",
    ),
    "two indexes of one name": (
        lambda: Table("table", key="id", indexes=[Index("one", "a"), Index("one", "b")]),
        r"table table has two indexes named one; rename one",
    ),
    "a key of three attributes": (
        lambda: Table("table", key=("a", "b", "c")),
        r"table table: a key has one or two attributes, got 3",
    ),
    "a type without a key": (
        lambda: Table("table", key="id", types={"age": "N"}),
        r"table table: types contains age, which no key uses",
    ),
    "too many index attributes": (
        lambda: Index("place", ("a", "b", "c", "d", "e")),
        r"index place has 5 partition attributes; DynamoDB allows up to 4",
    ),
    "an unknown index": (
        lambda: Table("table", key="id", indexes=[Index("one", "a")]).index("two"),
        r"table table has no index two; it has: one",
    ),
    "an environment that makes the name too long": (
        lambda: Table("app-{env}", key="id").physical_name("x" * 252),
        r"table 'app-\{env\}' is called 'app-x+' in the environment 'x+', which has a name of 256 characters",
    ),
    "no environment": (
        lambda: Table("app-{env}", key="id").physical_name(),
        r"table app-\{env\}: \{env\} needs an environment",
    ),
}


@pytest.mark.parametrize(("make", "message"), INVALID.values(), ids=INVALID.keys())
def test_invalid_tables_are_rejected(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        make()


def test_the_environment_variable_overrides_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("app-{env}", key="id", variable="APP_TABLE")
    assert table.physical_name("dev") == "app-dev"
    monkeypatch.setenv("APP_TABLE", "shared")
    assert table.physical_name("dev") == "shared"
    monkeypatch.setenv("APP_TABLE", " ")
    with pytest.raises(DesignError, match="the variable APP_TABLE is set, but empty"):
        table.physical_name("dev")


def test_key_attributes_are_listed_once() -> None:
    table = Table("app", key=("PK", "SK"), indexes=[Index("inverted", "SK", "PK"), Index("one", "a")])
    assert table.key_attributes == ("PK", "SK", "a")


@pytest.mark.parametrize(
    ("projection", "contained"),
    [("ALL", ["a", "id", "name", "other"]), ("KEYS_ONLY", ["a", "id"]), (["name"], ["a", "id", "name"])],
)
def test_an_index_contains_its_projection(projection: Any, contained: list[str]) -> None:
    index = Index("one", "a", projection=projection)
    table = Table("app", key="id", indexes=[index])
    assert [name for name in ("a", "id", "name", "other") if index.holds(table, name)] == contained


def test_the_definition_is_a_create_table_request() -> None:
    table = Table(
        "app",
        key=("PK", "SK"),
        indexes=[Index("one", "a", projection=["name"]), Index("two", "PK", "b", local=True)],
        types={"b": "N"},
        billing=billing.Provisioned(5, 7),
        stream="NEW_IMAGE",
        tags={"team": "a"},
    )
    request = table.definition()
    assert request["AttributeDefinitions"][-1] == {"AttributeName": "b", "AttributeType": "N"}
    (index,) = request["GlobalSecondaryIndexes"]
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["name"]}
    assert index["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7}
    (local,) = request["LocalSecondaryIndexes"]
    assert "ProvisionedThroughput" not in local
    assert request["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    assert request["Tags"] == [{"Key": "team", "Value": "a"}]
    assert "TableClass" not in request


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"recovery_days": 7}, "recovery_days has no effect without point_in_time_recovery=True"),
        ({"point_in_time_recovery": True, "recovery_days": 36}, "recovery_days is 1 to 35, got 36"),
        ({"replicas": ["eu-west-1"]}, 'replicas need stream="NEW_AND_OLD_IMAGES"'),
        ({"replicas": ["Ireland"], "stream": "NEW_AND_OLD_IMAGES"}, "'Ireland' in replicas is not a region"),
        ({"indexes": [Index("one", "a", billing=billing.Provisioned(1, 1))]}, "both must be on demand"),
    ],
)
def test_settings_that_cannot_work_are_rejected(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(DesignError, match=re.escape(message)):
        Table("app", key="id", **settings)


def test_a_local_index_has_no_capacity_of_its_own() -> None:
    with pytest.raises(DesignError, match="shares the capacity and the settings of its table"):
        Index("one", "id", "a", local=True, billing=billing.OnDemand())


def test_only_given_settings_are_stated() -> None:
    assert Table("app", key="id").stated == frozenset()
    table = Table("app", key="id", ttl=False, deletion_protection=False, table_class="STANDARD", tags={})
    assert table.stated == {"ttl", "deletion_protection", "table_class", "tags"}
    assert (table.ttl, table.billing) == (None, billing.OnDemand())


def test_the_definition_has_the_capacity_of_each_index() -> None:
    table = Table(
        "app",
        key="id",
        indexes=[Index("one", "a", billing=billing.Provisioned(1, 2)), Index("two", "b")],
        billing=billing.Autoscaled(3, 4, max_read=30, max_write=40),
        encryption_key="alias/aws/dynamodb",
        warm_throughput=billing.WarmThroughput(12_000, 4_000),
        resource_policy={"Version": "2012-10-17"},
    )
    request = table.definition()
    assert [index["ProvisionedThroughput"] for index in request["GlobalSecondaryIndexes"]] == [
        {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2},
        {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
    ]
    assert request["SSESpecification"] == {"Enabled": True, "SSEType": "KMS"}
    assert request["WarmThroughput"] == {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
    assert request["ResourcePolicy"] == '{"Version": "2012-10-17"}'
    assert "DeletionProtectionEnabled" not in request


def test_a_new_table_gets_all_its_settings() -> None:
    table = Table(
        "things",
        "id",
        [Index("by-x", "x", contributor_insights=True)],
        ttl="expiresAt",
        stream="NEW_AND_OLD_IMAGES",
        point_in_time_recovery=True,
        recovery_days=7,
        contributor_insights=True,
        replicas=["eu-west-1"],
    )
    assert list(requests_after_creation(table, "t")) == [
        (
            "UpdateTimeToLive",
            {"TableName": "t", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expiresAt"}},
        ),
        (
            "UpdateContinuousBackups",
            {
                "TableName": "t",
                "PointInTimeRecoverySpecification": {
                    "PointInTimeRecoveryEnabled": True,
                    "RecoveryPeriodInDays": 7,
                },
            },
        ),
        ("UpdateContributorInsights", {"TableName": "t", "ContributorInsightsAction": "ENABLE"}),
        (
            "UpdateContributorInsights",
            {"TableName": "t", "IndexName": "by-x", "ContributorInsightsAction": "ENABLE"},
        ),
        ("UpdateTable", {"TableName": "t", "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}),
    ]


def test_a_plain_table_needs_no_more_requests() -> None:
    assert list(requests_after_creation(Table("things", "id", ttl=False, stream=False), "t")) == []
