"""DescribeExport and ListExports."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading
from tablewright.errors import ExportNotFound

_DESCRIBE_EXPORT = Shape(ExportArn=ARN)


def _parse_describe_export(request: dict[str, Any]) -> str:
    """The export's ARN, validated."""
    parse_name(request["ExportArn"], "export")
    return request["ExportArn"]  # type: ignore[no-any-return]


def _run_describe_export(tx: Reading, request: str) -> Reply:
    """The description of the export."""
    document = job_records.find(tx.rows, "export", parse_name(request, "export").key)
    if document is None:
        raise ExportNotFound(f"Export not found: Export not found: {request}")
    return {"ExportDescription": document["Description"]}


_LIST_EXPORTS = Shape(
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


def _parse_list_exports(request: dict[str, Any]) -> ListExports:
    """Parse the request."""
    limit = request.get("MaxResults")
    return ListExports(request.get("TableArn"), limit and int(limit), request.get("NextToken"))


def _run_list_exports(tx: Reading, request: ListExports) -> Reply:
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


OPERATIONS = (
    Operation(
        "DescribeExport",
        _DESCRIBE_EXPORT,
        "read",
        _parse_describe_export,
        _run_describe_export,
    ),
    Operation(
        "ListExports",
        _LIST_EXPORTS,
        "snapshot",
        _parse_list_exports,
        _run_list_exports,
    ),
)
