"""Setting changes: one step for each stated setting that differs, and what is lost by it."""

from dataclasses import replace
from typing import Any

import pytest

from tablewright import Index, Table, billing
from tablewright.design.tables import Request
from tablewright.lifecycle.deploy.deployment_steps import SettingChange
from tablewright.lifecycle.deploy.setting_changes import setting_changes, unmentioned
from tablewright.lifecycle.deploy.table_state import TableState, desired_state

INDEXES = [Index("by-x", "x"), Index("local", "id", "x", local=True)]
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7}
POLICY = {"Version": "2012-10-17", "Statement": []}


def state(indexes: Any = INDEXES, **settings: Any) -> TableState:
    return replace(
        desired_state(Table("things", ("id", "sort"), indexes, **settings), "t"), arn="arn", items=3
    )


def changes(
    desired: dict[str, Any], current: dict[str, Any], unread: frozenset[str] = frozenset()
) -> list[SettingChange]:
    return list(setting_changes(state(**desired), replace(state(**current), unread=unread)))


def table(**members: Any) -> Request:
    return "UpdateTable", {"TableName": "t", **members}


def ttl(attribute: str, *, enabled: bool) -> Request:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return "UpdateTimeToLive", {"TableName": "t", "TimeToLiveSpecification": specification}


def recovery(**setting: Any) -> Request:
    return "UpdateContinuousBackups", {"TableName": "t", "PointInTimeRecoverySpecification": setting}


def index_update(**members: Any) -> list[dict[str, Any]]:
    return [{"Update": {"IndexName": "by-x", **members}}]


def by_x(**settings: Any) -> list[Index]:
    return [Index("by-x", "x", **settings)]


@pytest.mark.parametrize(
    ("desired", "current", "description", "requests"),
    [
        (
            {"billing": billing.Provisioned(5, 7)},
            {},
            "change the billing to 5 read and 7 write units for t",
            [
                table(
                    BillingMode="PROVISIONED",
                    ProvisionedThroughput=UNITS,
                    GlobalSecondaryIndexUpdates=index_update(ProvisionedThroughput=UNITS),
                )
            ],
        ),
        (
            {"billing": billing.OnDemand()},
            {"billing": billing.Provisioned(5, 7)},
            "change the billing to on demand for t",
            [table(BillingMode="PAY_PER_REQUEST")],
        ),
        (
            {"billing": billing.OnDemand(max_write=9), "indexes": by_x(billing=billing.OnDemand())},
            {},
            "change the billing to on demand, at most 9 write units a second for t",
            [table(OnDemandThroughput={"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 9})],
        ),
        (
            {"billing": billing.Autoscaled(5, 7, max_read=9, max_write=9), "indexes": []},
            {"billing": billing.Provisioned(1, 8), "indexes": []},
            "change the billing to 5 read and 7 write units, autoscaled for t",
            [table(ProvisionedThroughput=UNITS)],
        ),
        (
            {"billing": billing.Provisioned(5, 7)},
            {"billing": billing.Provisioned(5, 7), "indexes": by_x(billing=billing.Provisioned(1, 1))},
            "change the capacity of index by-x to 5 read and 7 write units for t",
            [table(GlobalSecondaryIndexUpdates=index_update(ProvisionedThroughput=UNITS))],
        ),
        (
            {"warm_throughput": billing.WarmThroughput(13_000, 4_000)},
            {"warm_throughput": billing.WarmThroughput(12_000, 9_000)},
            "raise the warm throughput to 13000 read and 4000 write units for t",
            [table(WarmThroughput={"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 4_000})],
        ),
        (
            {"indexes": by_x(warm_throughput=billing.WarmThroughput(13_000, 4_000))},
            {"indexes": by_x()},
            "raise the warm throughput of index by-x for t",
            [
                table(
                    GlobalSecondaryIndexUpdates=index_update(
                        WarmThroughput={"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 4_000}
                    )
                )
            ],
        ),
        (
            {"stream": "NEW_IMAGE"},
            {},
            "enable the stream (NEW_IMAGE) for t",
            [table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})],
        ),
        (
            {"point_in_time_recovery": True, "recovery_days": 7},
            {},
            "enable point-in-time recovery of 7 days for t",
            [recovery(PointInTimeRecoveryEnabled=True, RecoveryPeriodInDays=7)],
        ),
        (
            {"deletion_protection": True},
            {},
            "enable deletion protection for t",
            [table(DeletionProtectionEnabled=True)],
        ),
        (
            {"table_class": "STANDARD_INFREQUENT_ACCESS"},
            {},
            "change the class to STANDARD_INFREQUENT_ACCESS for t",
            [table(TableClass="STANDARD_INFREQUENT_ACCESS")],
        ),
        (
            {"encryption_key": "alias/aws/dynamodb"},
            {},
            "change the encryption key to alias/aws/dynamodb for t",
            [table(SSESpecification={"Enabled": True, "SSEType": "KMS"})],
        ),
        (
            {"encryption_key": False},
            {"encryption_key": "arn:key"},
            "change the encryption key to the key that DynamoDB owns for t",
            [table(SSESpecification={"Enabled": False})],
        ),
        (
            {"contributor_insights": True},
            {},
            "enable contributor insights for t",
            [("UpdateContributorInsights", {"TableName": "t", "ContributorInsightsAction": "ENABLE"})],
        ),
        (
            {"indexes": by_x(contributor_insights=False)},
            {"indexes": by_x(contributor_insights=True)},
            "disable contributor insights of index by-x for t",
            [
                (
                    "UpdateContributorInsights",
                    {"TableName": "t", "IndexName": "by-x", "ContributorInsightsAction": "DISABLE"},
                )
            ],
        ),
        (
            {"resource_policy": POLICY},
            {},
            "set the resource policy for t",
            [
                (
                    "PutResourcePolicy",
                    {"ResourceArn": "arn", "Policy": '{"Version": "2012-10-17", "Statement": []}'},
                )
            ],
        ),
        (
            {"replicas": ["eu-west-1"], "stream": "NEW_AND_OLD_IMAGES"},
            {"stream": "NEW_AND_OLD_IMAGES"},
            "add a replica in eu-west-1 for t",
            [table(ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}])],
        ),
        (
            {"tags": {"a": "1", "b": "2"}},
            {"tags": {"a": "1", "other": "tool"}},
            "set the tags b for t",
            [("TagResource", {"ResourceArn": "arn", "Tags": [{"Key": "b", "Value": "2"}]})],
        ),
    ],
)
def test_a_difference_is_one_step(
    desired: dict[str, Any], current: dict[str, Any], description: str, requests: list[Request]
) -> None:
    (change,) = changes(desired, current)
    assert (change.description, list(change.requests)) == (description, requests)
    assert not change.is_destructive


@pytest.mark.parametrize(
    ("desired", "current", "description", "loss", "requests"),
    [
        (
            {"ttl": "new"},
            {"ttl": "old"},
            "set the TTL attribute to new for t",
            "items no longer expire by old; existing items whose new has passed are deleted",
            [ttl("old", enabled=False), ttl("new", enabled=True)],
        ),
        (
            {"ttl": "new"},
            {},
            "set the TTL attribute to new for t",
            "existing items whose new has passed are deleted",
            [ttl("new", enabled=True)],
        ),
        (
            {"ttl": False},
            {"ttl": "old"},
            "disable TTL for t",
            "items no longer expire by old",
            [ttl("old", enabled=False)],
        ),
        (
            {"stream": "NEW_IMAGE"},
            {"stream": "OLD_IMAGE"},
            "enable the stream (NEW_IMAGE) for t",
            "records of the stream (OLD_IMAGE) that are not read yet are lost, and its consumers stop",
            [
                table(StreamSpecification={"StreamEnabled": False}),
                table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}),
            ],
        ),
        (
            {"point_in_time_recovery": False},
            {"point_in_time_recovery": True},
            "disable point-in-time recovery for t",
            "the history of the table is lost; no restore to an earlier time is possible",
            [recovery(PointInTimeRecoveryEnabled=False)],
        ),
        (
            {"point_in_time_recovery": True, "recovery_days": 7},
            {"point_in_time_recovery": True},
            "enable point-in-time recovery of 7 days for t",
            "the history before the last 7 days is lost; no restore to an earlier time is possible",
            [recovery(PointInTimeRecoveryEnabled=True, RecoveryPeriodInDays=7)],
        ),
        (
            {"deletion_protection": False},
            {"deletion_protection": True},
            "disable deletion protection for t",
            "the table is no longer protected from deletion",
            [table(DeletionProtectionEnabled=False)],
        ),
        (
            {"resource_policy": False},
            {"resource_policy": POLICY},
            "remove the resource policy for t",
            "the access that the policy gives or denies changes",
            [("DeleteResourcePolicy", {"ResourceArn": "arn"})],
        ),
        (
            {"replicas": [], "stream": "NEW_AND_OLD_IMAGES"},
            {"replicas": ["eu-west-1"], "stream": "NEW_AND_OLD_IMAGES"},
            "remove the replica in eu-west-1 for t",
            "the table in eu-west-1 is deleted; programs that use it there fail",
            [table(ReplicaUpdates=[{"Delete": {"RegionName": "eu-west-1"}}])],
        ),
    ],
)
def test_a_change_that_cannot_be_undone_is_destructive(
    desired: dict[str, Any], current: dict[str, Any], description: str, loss: str, requests: list[Request]
) -> None:
    (change,) = changes(desired, current)
    assert (change.description, change.loss, list(change.requests)) == (description, loss, requests)
    assert change.is_destructive


@pytest.mark.parametrize(
    ("desired", "current"),
    [
        ({}, {}),
        (
            {},
            {
                "billing": billing.Provisioned(9, 9),
                "ttl": "old",
                "stream": "NEW_IMAGE",
                "point_in_time_recovery": True,
                "deletion_protection": True,
                "table_class": "STANDARD_INFREQUENT_ACCESS",
                "encryption_key": "arn:x",
                "contributor_insights": True,
                "resource_policy": POLICY,
                "tags": {"other": "tool"},
            },
        ),
        ({"encryption_key": "alias/x"}, {"encryption_key": "arn:x"}),
        (
            {"resource_policy": {"Statement": [{"Action": ["dynamodb:GetItem"]}]}},
            {"resource_policy": {"Statement": [{"Action": "dynamodb:GetItem"}]}},
        ),
        (
            {"resource_policy": {"Statement": [{"Principal": {"AWS": "123456789012"}}]}},
            {"resource_policy": {"Statement": [{"Principal": {"AWS": "arn:aws:iam::123456789012:root"}}]}},
        ),
        (
            {
                "resource_policy": {
                    "Statement": [{"Principal": {"AWS": ["arn:aws-cn:iam::123456789012:root"]}}]
                }
            },
            {"resource_policy": {"Statement": [{"Principal": {"AWS": "123456789012"}}]}},
        ),
        (
            {"billing": billing.Autoscaled(1, 1, max_read=9, max_write=9), "indexes": []},
            {"billing": billing.Provisioned(9, 2), "indexes": []},
        ),
        (
            {"warm_throughput": billing.WarmThroughput(12_000, 4_000)},
            {"warm_throughput": billing.WarmThroughput(13_000, 4_000)},
        ),
        (
            {"point_in_time_recovery": True},
            {"point_in_time_recovery": True, "recovery_days": 7},
        ),
    ],
    ids=[
        "equal",
        "nothing is stated",
        "an alias",
        "a list of one action",
        "an account",
        "the root user of an account",
        "within the limits of autoscaling",
        "warmer",
        "any recovery period",
    ],
)
def test_no_step_without_a_stated_difference(desired: dict[str, Any], current: dict[str, Any]) -> None:
    assert changes(desired, current) == []


def test_a_setting_that_the_store_cannot_tell_is_left_alone() -> None:
    unread = frozenset({"point_in_time_recovery"})
    assert changes({"point_in_time_recovery": True}, {}, unread) == []


def test_settings_that_change_what_programs_see_are_reported() -> None:
    current = state(ttl="old", stream="NEW_IMAGE")
    assert list(unmentioned(state(), current)) == [
        "items expire by old, which the design does not state; it is left so (ttl=False disables it)",
        "the stream (NEW_IMAGE) is not in the design; it is left so (stream=False disables it)",
    ]
    assert list(unmentioned(state(ttl="old", stream=False), current)) == []
