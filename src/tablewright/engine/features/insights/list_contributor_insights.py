"""ListContributorInsights: list the tables and indexes with contributor insights."""

from typing import Any, NamedTuple

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, TableName, Text
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.insights.insight_settings import enabled_settings

NAME = "ListContributorInsights"
MODE = "read"
LARGEST_PAGE = 100
SHAPE = Shape(
    TableName=TableName(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    NextToken=Text(),
    MaxResults=Number(least=0, most=LARGEST_PAGE),
)


class ListContributorInsights(NamedTuple):
    """Parsed ListContributorInsights request; `after` is the table and index of the last page's end."""

    table: str | None
    after: tuple[str, str]
    limit: int


def parse(request: dict[str, Any]) -> ListContributorInsights:
    """Parse the request. A token is the table and the index that it continues after."""
    table, _, index = (request.get("NextToken") or "").partition("/")
    limit = int(request.get("MaxResults") or LARGEST_PAGE)
    return ListContributorInsights(request.get("TableName"), (table, index), limit)


def run(tx: Reading, request: ListContributorInsights) -> Reply:
    """One page of enabled settings, by table and index."""
    tables = tx.state.catalog.having("Insights") if request.table is None else [tx.described(request.table)]
    found = sorted(
        (table.name, index, setting["Mode"])
        for table in tables
        for index, setting in enabled_settings(table).items()
        if (table.name, index) > request.after
    )
    page = found[: request.limit]
    reply: Reply = {"ContributorInsightsSummaries": [_show(*entry) for entry in page]}
    if len(found) > len(page):
        reply["NextToken"] = "/".join(page[-1][:2])
    return reply


def _show(table: str, index: str, mode: str) -> dict[str, str]:
    shown = {"TableName": table, "ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": mode}
    return shown | ({"IndexName": index} if index else {})
