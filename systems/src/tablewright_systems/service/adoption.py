"""Adoption: rows that other programs wrote, as the document of a system prints them, get what the design adds to them.

JOBS = (Job("adoption", timedelta(hours=1), once(migrate_rows)),)

The migrations of the design write missing keys, copies and locks. A system that adds more items passes a function of
its own to `once`. Rows that are written after the adoption are repaired with `tablewright fsck --repair`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, fields

from tablewright import Repository, migrations
from tablewright_systems.service.jobs import JobRun

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Adopted:
    """Number of rows that an adoption changed, could not change, and added."""

    changed: int = 0
    rejected: int = 0
    added: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, each.name)} rows {each.name}" for each in fields(self))


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
