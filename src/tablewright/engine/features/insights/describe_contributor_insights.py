"""DescribeContributorInsights: show whether contributor insights of a table or index are enabled, and their rules."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Text
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.insights.insight_settings import insights_table, rules, setting_of

NAME = "DescribeContributorInsights"
MODE = "read"
SHAPE = TableShape(TableName=TABLE_NAME, IndexName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"))


@dataclass(frozen=True, slots=True)
class DescribeContributorInsights:
    """Parsed DescribeContributorInsights request."""

    table: str
    index: str | None


def parse(request: dict[str, Any]) -> DescribeContributorInsights:
    """Parse the request."""
    return DescribeContributorInsights(request["TableName"], request.get("IndexName"))


def run(tx: Reading, request: DescribeContributorInsights) -> Reply:
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
