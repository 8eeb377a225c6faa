"""What each kind of job is. The modules are loaded when there is such a job: most databases never have one."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.engine.backups.jobs.job_runner import Work

_MODULES = {
    "backup": "snapshots.backups",
    "restore": "snapshots.restores",
    "export": "exports.export_job",
    "import": "imports.import_job",
}


def work_of(kind: str) -> "Work":
    """The function that does a job of that kind."""
    module = import_module(f"tablewright.engine.backups.{_MODULES[kind]}")
    return module.make  # type: ignore[no-any-return]
