"""Setting changes: one step for each setting that differs."""

from dataclasses import replace
from typing import Any

import pytest

from tablewright import Index, Table, billing
from tablewright.lifecycle.deploy.deployment_steps import Request
from tablewright.lifecycle.deploy.setting_changes import setting_changes
from tablewright.lifecycle.deploy.table_state import desired_state

BASE = replace(
    desired_state(
        Table("things", ("id", "sort"), [Index("by-x", "x"), Index("local", "id", "x", local=True)]), "t"
    ),
    arn="arn",
)


def table(**members: Any) -> Request:
    return "UpdateTable", {"TableName": "t", **members}


def ttl(attribute: str, *, enabled: bool) -> Request:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return "UpdateTimeToLive", {"TableName": "t", "TimeToLiveSpecification": specification}


UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7}


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
                    GlobalSecondaryIndexUpdates=[
                        {"Update": {"IndexName": "by-x", "ProvisionedThroughput": UNITS}}
                    ],
                )
            ],
        ),
        (
            {},
            {"billing": billing.Provisioned(5, 7)},
            "change the billing to on demand for t",
            [table(BillingMode="PAY_PER_REQUEST")],
        ),
        (
            {"ttl": "new"},
            {"ttl": "old"},
            "set the TTL attribute to new for t",
            [ttl("old", enabled=False), ttl("new", enabled=True)],
        ),
        ({}, {"ttl": "old"}, "disable TTL for t", [ttl("old", enabled=False)]),
        (
            {"stream": "NEW_IMAGE"},
            {"stream": "OLD_IMAGE"},
            "enable the stream (NEW_IMAGE) for t",
            [
                table(StreamSpecification={"StreamEnabled": False}),
                table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}),
            ],
        ),
        (
            {},
            {"point_in_time_recovery": True},
            "disable point-in-time recovery for t",
            [
                (
                    "UpdateContinuousBackups",
                    {
                        "TableName": "t",
                        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False},
                    },
                )
            ],
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
            {"tags": (("a", "1"), ("b", "2"))},
            {"tags": (("a", "1"), ("other", "tool"))},
            "set the tags b for t",
            [("TagResource", {"ResourceArn": "arn", "Tags": [{"Key": "b", "Value": "2"}]})],
        ),
    ],
)
def test_a_difference_is_one_step(
    desired: dict[str, Any], current: dict[str, Any], description: str, requests: list[Request]
) -> None:
    (change,) = setting_changes(replace(BASE, **desired), replace(BASE, **current))
    assert (change.description, list(change.requests)) == (description, requests)
    assert not change.is_destructive


@pytest.mark.parametrize(
    ("desired", "current"),
    [
        ({}, {}),
        ({}, {"tags": (("other", "tool"),)}),
        ({"encryption_key": "alias/x"}, {"encryption_key": "arn:x"}),
    ],
)
def test_no_step_without_a_difference(desired: dict[str, Any], current: dict[str, Any]) -> None:
    assert list(setting_changes(replace(BASE, **desired), replace(BASE, **current))) == []
