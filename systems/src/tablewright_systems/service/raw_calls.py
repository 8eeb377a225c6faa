"""Calls of the store without the design, for rows that other programs wrote.

Erasure: all rows that a pattern finds are deleted, also those that have expired, or that cannot be read. Other
programs may have written rows that are not valid. They belong to a user or a board all the same.

Adoption: rows that other programs wrote, as the document of a system prints them, get what the design adds to them.

    JOBS = (Job("adoption", timedelta(hours=1), once(migrate_rows)),)

The migrations of the design write missing keys, copies and locks. A system that adds more items passes a function of
its own to `once`. Rows that are written after the adoption are repaired with `tablewright fsck --repair`.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from tablewright import Query, Repository, errors, migrations, writes
from tablewright_systems.service.jobs import JobRun


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


def erase_all(db: Repository, *patterns: Query[Any]) -> None:
    """Delete all rows of some patterns, with their locks and copies; of a row that cannot be read, the row alone."""
    for pattern in patterns:
        cursor: str | None = None
        while True:
            page = db.run(pattern, cursor=cursor, include_expired=True)
            db.batch(map(writes.Delete, page))
            for unreadable in page.unknown:
                erase_row(db, unreadable)
            if (cursor := page.cursor) is None:
                break


def erase_row(db: Repository, unreadable: errors.UnknownItem) -> None:
    """Delete a row that cannot be read, by its key."""
    table = next(candidate for candidate in db.design.tables if candidate.name == unreadable.table)
    call_raw(db, "DeleteItem", {"TableName": db.context.table_name(table), "Key": unreadable.key})


log = logging.getLogger(__name__)


@dataclass(slots=True)
class Adopted:
    """Number of rows that an adoption changed, could not change, and added."""

    changed: int = 0
    rejected: int = 0
    added: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, field.name)} rows {field.name}" for field in fields(self))


def migrate_rows(db: Repository) -> Adopted:
    """Apply the migrations of the design to all rows; log the rows that cannot be adopted, and return the counts.

    Such a row, for example a second user with the same name, stays as it is.
    """
    adopted = Adopted()
    for result in migrations.migrate(db, allow_incomplete=True):
        adopted.changed += result.tally.changed
        adopted.rejected += len(result.rejects)
        for reject in result.rejects:
            log.warning("%s rejected %s: %s", result.migration.name, reject.key, reject.reason)
    return adopted


def once(adopt: Callable[[Repository], object]) -> Callable[[JobRun], None]:
    """Return a job that adopts all rows in its first complete run, and does nothing later."""

    def run_once(run: JobRun) -> None:
        if run.position is None:
            run.save(str(adopt(run.db)))

    return run_once
