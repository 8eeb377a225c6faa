"""DescribeExport: how far an export is, and where it lies."""

from typing import Any

from tablewright.engine.backups import documents
from tablewright.engine.backups.names import ARN, parse_name
from tablewright.engine.backups.refusals import ExportNotFound
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Reading
from tablewright.engine.shapes import Shape

NAME = "DescribeExport"
MODE = "read"
SHAPE = Shape(ExportArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The export's ARN, which must be one."""
    parse_name(request["ExportArn"], "export")
    return request["ExportArn"]  # type: ignore[no-any-return]


def run(tx: Reading, ask: str) -> Reply:
    """What is known of it."""
    document = documents.find(tx.rows, "export", parse_name(ask, "export").key)
    if document is None:
        raise ExportNotFound(f"Export not found: Export not found: {ask}")
    return {"ExportDescription": document["Description"]}
