"""Calls of the store without the design, for rows that other programs wrote."""

from typing import Any

from tablewright import Repository, errors, writes


@writes.retrying(on=(errors.TransactionConflict, errors.ProvisionedThroughputExceeded, errors.Throttling))
def call_raw(db: Repository, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """Call the store without the design; again when the store is busy, as every program does."""
    return db.connection.call(operation, request)
