"""DescribeBulkOperation: show the status of a bulk operation and its item counts."""

from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading
from tablewright.errors import ResourceNotFound

NAME = "DescribeBulkOperation"
MODE = "read"
SHAPE = Shape(BulkOperationArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The ARN of the operation, validated."""
    parse_name(request["BulkOperationArn"], "bulk-operation")
    return request["BulkOperationArn"]  # type: ignore[no-any-return]


def find(tx: Reading, arn: str) -> job_records.Document:
    """The document of an operation, or ResourceNotFoundException."""
    document = job_records.find(tx.rows, "bulk-operation", parse_name(arn, "bulk-operation").key)
    if document is None:
        raise ResourceNotFound(f"Requested resource not found: Bulk operation: {arn} not found")
    return document


def run(tx: Reading, request: str) -> Reply:
    """The description of the operation."""
    return {"BulkOperationDescription": find(tx, request)["Description"]}
