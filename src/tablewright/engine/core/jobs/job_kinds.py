"""Job kinds: the function of each kind of job. Its module is loaded with the first job: most databases have none."""

from importlib import import_module
from typing import TYPE_CHECKING

from tablewright.engine.core.plugs import JOBS

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import JobFunction

JOBS.update(
    {
        "index": "tablewright.engine.core.jobs.index_builds",
        "index_removal": "tablewright.engine.core.jobs.row_removals",
        "removal": "tablewright.engine.core.jobs.row_removals",
    }
)


def job_function(kind: str) -> "JobFunction":
    """The function that runs jobs of that kind."""
    module = import_module(JOBS[kind])
    return module.run  # type: ignore[no-any-return]
