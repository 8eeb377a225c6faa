"""Progress and results of jobs, within the limits of what an item can hold."""

from collections.abc import Sequence

from tablewright_systems.listbackup.design.jobs import Job, JobResult, Progress
from tablewright_systems.listbackup.design.vocabulary import Document
from tablewright_systems.service.errors import Invalid

MAX_ERRORS = 100
MAX_ERROR_LENGTH = 500


def new_progress(total: int, processed: int, failed: int) -> Progress:
    """Return the progress with its percentage; 0 if the total is unknown."""
    if not 0 <= failed <= processed or (total and processed > total):
        raise Invalid("failed must not exceed processed, and processed must not exceed total", "processed")
    percentage = processed * 100 // total if total else 0
    return Progress(total=total, processed=processed, failed=failed, percentage=percentage)


def new_result(
    count: int, failures: Sequence[str], failed: int, location: str | None, summary: Document
) -> JobResult:
    """Return the result to store: the first errors, and how many of the failed records have none in the list."""
    if (omitted := failed - min(len(failures), MAX_ERRORS)) > 0:
        summary = {**summary, "errorsOmitted": omitted}
    return JobResult(
        records_processed=count,
        errors=[each[:MAX_ERROR_LENGTH] for each in failures[:MAX_ERRORS]],
        output_location=location,
        summary=summary,
    )


def result_with_error(job: Job, reason: str) -> JobResult:
    """Return the result with one more error; only the last errors are kept."""
    before = job.result.errors if job.result else []
    return JobResult(errors=[*before, reason[:MAX_ERROR_LENGTH]][-MAX_ERRORS:])
