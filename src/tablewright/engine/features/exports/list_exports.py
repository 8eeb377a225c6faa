"""ListExports: list the exports of the last 90 days, of all tables or of one, newest first."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading

NAME = "ListExports"
MODE = "snapshot"
SHAPE = Shape(
    TableArn=Text(shortest=1, longest=1024),
    MaxResults=Number(least=1, most=LARGEST_PAGE),
    NextToken=Text(),
)


@dataclass(frozen=True, slots=True)
class ListExports:
    """Parsed ListExports request."""

    table: str | None
    limit: int | None
    token: str | None


def parse(request: dict[str, Any]) -> ListExports:
    """Parse the request."""
    limit = request.get("MaxResults")
    return ListExports(request.get("TableArn"), limit and int(limit), request.get("NextToken"))


def run(tx: Reading, request: ListExports) -> Reply:
    """One page. The exports of a deleted table are not listed, even when a new table has its name."""
    found = newest(tx, "export")
    if request.table is not None:
        table = tx.durable_table(request.table)
        found = [
            each
            for each in found
            if table is not None and each[1]["Description"]["TableId"] == table.description["TableId"]
        ]
    page, token = page_of(found, "export", request.limit, request.token)
    reply: Reply = {"ExportSummaries": [_show(document["Description"]) for document in page]}
    return reply | ({"NextToken": token} if token else {})


def _show(description: dict[str, Any]) -> dict[str, Any]:
    return {
        "ExportArn": description["ExportArn"],
        "ExportStatus": description["ExportStatus"],
        "ExportType": description.get("ExportType", "FULL_EXPORT"),
    }
