"""Requests that change settings which CreateTable does not take."""

from collections.abc import Iterator
from typing import Any

from tablewright.design.tables.tables import Table

Request = tuple[str, dict[str, Any]]
"""An operation and its request."""


def expiry_request(table: str, attribute: str, *, enabled: bool) -> Request:
    """Enable or disable the expiry of items by an attribute."""
    setting = {"Enabled": enabled, "AttributeName": attribute}
    return "UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": setting}


def recovery_request(table: str, *, enabled: bool, days: int | None = None) -> Request:
    """Enable or disable point-in-time recovery."""
    setting: dict[str, Any] = {"PointInTimeRecoveryEnabled": enabled}
    setting |= {"RecoveryPeriodInDays": days} if enabled and days is not None else {}
    return "UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": setting}


def insights_request(table: str, *, enabled: bool, index: str | None = None) -> Request:
    """Enable or disable the contributor insights of a table or an index."""
    action = {"ContributorInsightsAction": "ENABLE" if enabled else "DISABLE"}
    return "UpdateContributorInsights", {
        "TableName": table,
        **({"IndexName": index} if index else {}),
        **action,
    }


def replica_request(table: str, action: str, region: str) -> Request:
    """Create or delete the replica of a table in another region; `action` is "Create" or "Delete"."""
    return "UpdateTable", {"TableName": table, "ReplicaUpdates": [{action: {"RegionName": region}}]}


def requests_after_creation(table: Table, name: str) -> Iterator[Request]:
    """The settings of a new table that CreateTable does not take."""
    if table.ttl is not None:
        yield expiry_request(name, table.ttl, enabled=True)
    if table.point_in_time_recovery:
        yield recovery_request(name, enabled=True, days=table.recovery_days)
    if table.contributor_insights:
        yield insights_request(name, enabled=True)
    for index in table.indexes:
        if index.contributor_insights:
            yield insights_request(name, enabled=True, index=index.name)
    for region in table.replicas:
        yield replica_request(name, "Create", region)
