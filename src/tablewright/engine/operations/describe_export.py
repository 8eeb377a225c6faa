"""DescribeExport: how far an export is, and where it lies."""

from typing import Any

from tablewright.engine.backups.jobs import job_records
from tablewright.engine.backups.jobs.backup_arns import ARN, parse_name
from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Shape
from tablewright.engine.sessions import Reading
from tablewright.errors import ExportNotFound

NAME = "DescribeExport"
MODE = "read"
SHAPE = Shape(ExportArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The export's ARN, which must be one."""
    parse_name(request["ExportArn"], "export")
    return request["ExportArn"]  # type: ignore[no-any-return]


def run(tx: Reading, ask: str) -> Reply:
    """What is known of it."""
    document = job_records.find(tx.rows, "export", parse_name(ask, "export").key)
    if document is None:
        raise ExportNotFound(f"Export not found: Export not found: {ask}")
    return {"ExportDescription": document["Description"]}
