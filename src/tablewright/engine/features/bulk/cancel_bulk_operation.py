"""CancelBulkOperation: stop a bulk operation; the items that it wrote remain."""

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import parse_name
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Writing
from tablewright.engine.features.bulk import describe_bulk_operation
from tablewright.errors import ValidationError

NAME = "CancelBulkOperation"
MODE = "write"
PLANS = True
SHAPE = describe_bulk_operation.SHAPE
parse = describe_bulk_operation.parse


def run(tx: Writing, request: str) -> Reply:
    """Ask the job to stop: it does so before its next step."""
    document = describe_bulk_operation.find(tx, request)
    description = document["Description"]
    status = description["BulkOperationStatus"]
    if status not in ("IN_PROGRESS", "CANCELLING"):
        raise ValidationError(
            f"Invalid Request: Bulk operation {request} cannot be cancelled: its status is {status}"
        )
    description["BulkOperationStatus"] = "CANCELLING"
    job_records.save(tx.rows, "bulk-operation", parse_name(request, "bulk-operation").key, document)
    return {"BulkOperationArn": request, "BulkOperationStatus": "CANCELLING"}
