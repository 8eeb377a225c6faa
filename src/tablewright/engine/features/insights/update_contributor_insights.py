"""UpdateContributorInsights: enable or disable contributor insights of a table or a global index."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Text, one_of, required
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.insights.insight_settings import (
    ALL_KEYS,
    THROTTLED_KEYS,
    change,
    insights_table,
    setting_of,
)

NAME = "UpdateContributorInsights"
MODE = "write"
SHAPE = TableShape(
    TableName=TABLE_NAME,
    IndexName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
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


def parse(request: dict[str, Any]) -> UpdateContributorInsights:
    """Parse the request; without a mode, all keys are counted, as on AWS."""
    return UpdateContributorInsights(
        table=request["TableName"],
        index=request.get("IndexName"),
        enabled=request["ContributorInsightsAction"] == "ENABLE",
        mode=request.get("ContributorInsightsMode") or ALL_KEYS,
    )


def run(tx: Writing, request: UpdateContributorInsights) -> Reply:
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
