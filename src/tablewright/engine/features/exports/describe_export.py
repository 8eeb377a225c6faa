"""DescribeExport: show the status of an export and its files."""

from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading
from tablewright.errors import ExportNotFound

NAME = "DescribeExport"
MODE = "read"
SHAPE = Shape(ExportArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The export's ARN, validated."""
    parse_name(request["ExportArn"], "export")
    return request["ExportArn"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> Reply:
    """The description of the export."""
    document = job_records.find(tx.rows, "export", parse_name(request, "export").key)
    if document is None:
        raise ExportNotFound(f"Export not found: Export not found: {request}")
    return {"ExportDescription": document["Description"]}
