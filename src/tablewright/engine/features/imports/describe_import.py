"""DescribeImport: show the status of an import and its item counts."""

from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading
from tablewright.errors import ImportNotFound

NAME = "DescribeImport"
MODE = "read"
SHAPE = Shape(ImportArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The import's ARN, validated."""
    parse_name(request["ImportArn"], "import")
    return request["ImportArn"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> Reply:
    """The description of the import."""
    document = job_records.find(tx.rows, "import", parse_name(request, "import").key)
    if document is None:
        raise ImportNotFound(f"Import not found: Import not found: {request}")
    return {"ImportTableDescription": document["Description"]}
