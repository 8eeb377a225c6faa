"""ListBulkOperations: list the bulk operations of the last 90 days, newest first."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading

NAME = "ListBulkOperations"
MODE = "snapshot"
SHAPE = Shape(
    MaxResults=Number(least=1, most=LARGEST_PAGE),
    NextToken=Text(shortest=1, longest=1024, pattern="([0-9a-f]{16})+"),
)
_SHOWN = ("BulkOperationArn", "BulkOperationStatus", "StartTime", "EndTime")


@dataclass(frozen=True, slots=True)
class ListBulkOperations:
    """Parsed ListBulkOperations request."""

    size: int | None
    token: str | None


def parse(request: dict[str, Any]) -> ListBulkOperations:
    """Parse the request."""
    size = request.get("MaxResults")
    return ListBulkOperations(size and int(size), request.get("NextToken"))


def run(tx: Reading, request: ListBulkOperations) -> Reply:
    """One page; operations on deleted tables are listed too."""
    found = newest(tx, "bulk-operation")
    page, token = page_of(found, "bulk-operation", request.size, request.token)
    reply: Reply = {"BulkOperationsSummaryList": [_show(document["Description"]) for document in page]}
    return reply | ({"NextToken": token} if token else {})


def _show(description: dict[str, Any]) -> dict[str, Any]:
    return {name: description[name] for name in _SHOWN if name in description}
