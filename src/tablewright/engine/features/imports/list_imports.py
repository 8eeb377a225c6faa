"""ListImports: list the imports of the last 90 days, into all tables or into one, newest first."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading

NAME = "ListImports"
MODE = "snapshot"
SHAPE = Shape(
    TableArn=Text(shortest=1, longest=1024),
    PageSize=Number(least=1, most=LARGEST_PAGE),
    NextToken=Text(shortest=112, longest=1024, pattern="([0-9a-f]{16})+"),
)
_SHOWN = (
    "ImportArn",
    "ImportStatus",
    "TableArn",
    "S3BucketSource",
    "CloudWatchLogGroupArn",
    "InputFormat",
    "StartTime",
    "EndTime",
)


@dataclass(frozen=True, slots=True)
class ListImports:
    """Parsed ListImports request."""

    table: str | None
    size: int | None
    token: str | None


def parse(request: dict[str, Any]) -> ListImports:
    """Parse the request."""
    size = request.get("PageSize")
    return ListImports(request.get("TableArn"), size and int(size), request.get("NextToken"))


def run(tx: Reading, request: ListImports) -> Reply:
    """One page; imports into deleted tables are listed too."""
    found = [
        each for each in newest(tx, "import") if request.table in (None, each[1]["Description"]["TableArn"])
    ]
    page, token = page_of(found, "import", request.size, request.token)
    reply: Reply = {"ImportSummaryList": [_show(document["Description"]) for document in page]}
    return reply | ({"NextToken": token} if token else {})


def _show(description: dict[str, Any]) -> dict[str, Any]:
    return {name: description[name] for name in _SHOWN if name in description}
