"""Calls of the store without the design, for rows that other programs wrote."""

from collections.abc import Iterator
from typing import Any

from tablewright import Repository, errors, writes


@writes.retrying(on=(errors.TransactionConflict, errors.ProvisionedThroughputExceeded, errors.Throttling))
def call_raw(db: Repository, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """Call the store without the design; again when the store is busy, as every program does."""
    return db.connection.call(operation, request)


def raw_rows(db: Repository, operation: str, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of all pages of a Query or Scan, as attribute values."""
    start: dict[str, Any] = {}
    while True:
        page = call_raw(db, operation, request | start)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
