"""Job kinds: the function of each kind of job. Its module is loaded with the first job: most databases have none."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.engine.jobs.job_runner import JobFunction

_MODULES = {
    "backup": "backups.snapshots.backups",
    "restore": "backups.snapshots.restores",
    "export": "backups.exports.export_job",
    "import": "backups.imports.import_job",
    "bulk-operation": "bulk.bulk_put_job",
    "expiry": "jobs.expiry_schedules",
    "index": "jobs.index_builds",
    "index_removal": "jobs.row_removals",
    "removal": "jobs.row_removals",
}


def job_function(kind: str) -> "JobFunction":
    """The function that runs jobs of that kind."""
    module = import_module(f"tablewright.engine.{_MODULES[kind]}")
    return module.run  # type: ignore[no-any-return]
