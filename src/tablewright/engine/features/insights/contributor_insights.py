"""UpdateContributorInsights, DescribeContributorInsights and ListContributorInsights."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Number, Shape, TableName, Text, one_of, required
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.insights.insight_settings import (
    ALL_KEYS,
    THROTTLED_KEYS,
    change,
    enabled_settings,
    insights_table,
    rules,
    setting_of,
)

_INDEX_NAME = Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")

_UPDATE_CONTRIBUTOR_INSIGHTS = TableShape(
    TableName=TABLE_NAME,
    IndexName=_INDEX_NAME,
    ContributorInsightsAction=required(one_of("ENABLE", "DISABLE")),
    ContributorInsightsMode=one_of(ALL_KEYS, THROTTLED_KEYS),
)


@dataclass(frozen=True, slots=True)
class UpdateContributorInsights:
    """Parsed UpdateContributorInsights request."""

    table: str
    index: str | None
    enabled: bool
    mode: str


def _parse_update_contributor_insights(request: dict[str, Any]) -> UpdateContributorInsights:
    """Parse the request; without a mode, all keys are counted, as on AWS."""
    return UpdateContributorInsights(
        table=request["TableName"],
        index=request.get("IndexName"),
        enabled=request["ContributorInsightsAction"] == "ENABLE",
        mode=request.get("ContributorInsightsMode") or ALL_KEYS,
    )


def _run_update_contributor_insights(tx: Writing, request: UpdateContributorInsights) -> Reply:
    """Change the setting; repeating the request changes nothing."""
    table = insights_table(tx, request.table, request.index)
    status = change(tx, table, request.index, enabled=request.enabled, mode=request.mode)
    reply: Reply = {"TableName": table.name, "ContributorInsightsStatus": status}
    if request.index is not None:
        reply["IndexName"] = request.index
    current = setting_of(tx.described(table.name), request.index)
    if current:
        reply["ContributorInsightsMode"] = current["Mode"]
    return reply


_DESCRIBE_CONTRIBUTOR_INSIGHTS = TableShape(TableName=TABLE_NAME, IndexName=_INDEX_NAME)


@dataclass(frozen=True, slots=True)
class DescribeContributorInsights:
    """Parsed DescribeContributorInsights request."""

    table: str
    index: str | None


def _parse_describe_contributor_insights(request: dict[str, Any]) -> DescribeContributorInsights:
    """Parse the request."""
    return DescribeContributorInsights(request["TableName"], request.get("IndexName"))


def _run_describe_contributor_insights(tx: Reading, request: DescribeContributorInsights) -> Reply:
    """The status, and what was set when it last changed."""
    table = insights_table(tx, request.table, request.index)
    setting = setting_of(table, request.index)
    reply: Reply = {"TableName": table.name}
    if request.index is not None:
        reply["IndexName"] = request.index
    if setting.get("Enabled"):
        reply["ContributorInsightsRuleList"] = rules(table, request.index, setting)
    reply["ContributorInsightsStatus"] = "ENABLED" if setting.get("Enabled") else "DISABLED"
    if setting:
        reply["LastUpdateDateTime"] = round(setting["Updated"], 3)
        reply["ContributorInsightsMode"] = setting["Mode"]
    return reply


LARGEST_PAGE = 100
_LIST_CONTRIBUTOR_INSIGHTS = Shape(
    TableName=TableName(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    NextToken=Text(),
    MaxResults=Number(least=0, most=LARGEST_PAGE),
)


class ListContributorInsights(NamedTuple):
    """Parsed ListContributorInsights request; `after` is the table and index of the last page's end."""

    table: str | None
    after: tuple[str, str]
    limit: int


def _parse_list_contributor_insights(request: dict[str, Any]) -> ListContributorInsights:
    """Parse the request. A token is the table and the index that it continues after."""
    table, _, index = (request.get("NextToken") or "").partition("/")
    limit = int(request.get("MaxResults") or LARGEST_PAGE)
    return ListContributorInsights(request.get("TableName"), (table, index), limit)


def _run_list_contributor_insights(tx: Reading, request: ListContributorInsights) -> Reply:
    """One page of enabled settings, by table and index."""
    tables = tx.state.catalog.having("Insights") if request.table is None else [tx.described(request.table)]
    settings = sorted(
        (table.name, index, setting["Mode"])
        for table in tables
        for index, setting in enabled_settings(table).items()
        if (table.name, index) > request.after
    )
    page = settings[: request.limit]
    reply: Reply = {"ContributorInsightsSummaries": [_show(*entry) for entry in page]}
    if len(settings) > len(page):
        reply["NextToken"] = "/".join(page[-1][:2])
    return reply


def _show(table: str, index: str, mode: str) -> dict[str, str]:
    shown = {"TableName": table, "ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": mode}
    return shown | ({"IndexName": index} if index else {})


OPERATIONS = (
    Operation(
        "UpdateContributorInsights",
        _UPDATE_CONTRIBUTOR_INSIGHTS,
        "write",
        _parse_update_contributor_insights,
        _run_update_contributor_insights,
    ),
    Operation(
        "DescribeContributorInsights",
        _DESCRIBE_CONTRIBUTOR_INSIGHTS,
        "read",
        _parse_describe_contributor_insights,
        _run_describe_contributor_insights,
    ),
    Operation(
        "ListContributorInsights",
        _LIST_CONTRIBUTOR_INSIGHTS,
        "read",
        _parse_list_contributor_insights,
        _run_list_contributor_insights,
    ),
)
