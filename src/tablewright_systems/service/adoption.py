"""Adoption: rows that other programs wrote, as the document of a system prints them, get what the design adds to them.

JOBS = (Job("adoption", timedelta(hours=1), once(migrate_rows)),)

The migrations of the design write missing keys, copies and locks. A system that adds more items passes a function of
its own to `once`. Rows that are written after the adoption are repaired with `tablewright fsck --repair`.
"""

import logging
from collections.abc import Callable

from tablewright import Repository, migrations
from tablewright_systems.service.jobs import JobRun

log = logging.getLogger(__name__)


def migrate_rows(db: Repository) -> str:
    """Apply the migrations of the design to all rows; log the rows that cannot be adopted, and return the counts.

    Such a row, for example a second user with the same name, stays as it is.
    """
    changed = rejected = 0
    for result in migrations.migrate(db, allow_incomplete=True):
        changed += result.tally.changed
        rejected += len(result.rejects)
        for reject in result.rejects:
            log.warning("%s rejected %s: %s", result.migration.name, reject.key, reject.reason)
    return f"{changed} rows changed, {rejected} rows rejected"


def once(adopt: Callable[[Repository], object]) -> Callable[[JobRun], None]:
    """Return a job that adopts all rows in its first complete run, and does nothing later."""

    def run_once(run: JobRun) -> None:
        if run.position is None:
            run.save(str(adopt(run.db)))

    return run_once
