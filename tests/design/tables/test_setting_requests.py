"""Requests for the settings that CreateTable does not take."""

from tablewright import Index, Table
from tablewright.design.tables.setting_requests import requests_after_creation


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
