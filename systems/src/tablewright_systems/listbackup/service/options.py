"""Options of jobs: what `config.options` may contain for each type of job, and which sources a job needs.

| type | source | options |
|---|---|---|
| sync | the source to back up | none |
| backup | the source to back up; without one, all active sources | mode: full (default) or incremental |
| export | the source to read, or else a backup | backupId, format: json (default) or csv |
| import | the source to write to | backupId or uploadId |
| migration | the source to read | targetSourceId: the source to write to |
"""

from enum import Enum

from tablewright_systems.listbackup.design.archives import FileFormat
from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobType
from tablewright_systems.listbackup.design.vocabulary import Document, Id, Part
from tablewright_systems.service.errors import Invalid
from tablewright_systems.service.schemas import settings_from_json


class BackupMode(Enum):
    """Whether a backup contains all records, or those that changed since the backup before."""

    FULL = "full"
    INCREMENTAL = "incremental"


class JobOptions(Part):
    """The options of a job."""

    mode: BackupMode = BackupMode.FULL
    format: FileFormat = FileFormat.JSON
    backup_id: Id | None = None
    upload_id: Id | None = None
    target_source_id: Id | None = None


_ALLOWED = {
    JobType.SYNC: frozenset[str](),
    JobType.BACKUP: frozenset({"mode"}),
    JobType.EXPORT: frozenset({"format", "backup_id"}),
    JobType.IMPORT: frozenset({"backup_id", "upload_id"}),
    JobType.MIGRATION: frozenset({"target_source_id"}),
}


def options_of(job: Job) -> JobOptions:
    """Return the options of a job; those of a stored job were checked when it was created."""
    return JobOptions.model_validate(job.config.options)


def sources_of(job: Job) -> list[str]:
    """Return the ids of the sources that a job reads or writes: all of them must be active."""
    target = job.config.options.get("targetSourceId") if job.job_type is JobType.MIGRATION else None
    return [source_id for source_id in (job.source_id, target) if source_id is not None]


def require_valid(job_type: JobType, source_id: str | None, config: JobConfig) -> JobOptions:
    """Return the options of a new job, or raise `Invalid` and name what to change."""
    options = settings_from_json(JobOptions, config.options, "config.options")
    require_filters(config.filters)
    unknown = options.model_fields_set - _ALLOWED[job_type]
    if unknown:
        names = ", ".join(sorted(_alias(name) for name in unknown))
        raise Invalid(f"a {job_type.value} job does not have the options {names}", "config.options")
    problem = _problem(job_type, source_id, config, options)
    if problem is not None:
        raise Invalid(problem[0], problem[1])
    return options


def require_filters(filters: Document) -> None:
    """Raise `Invalid` for a filter that no record can match: without a field, or without a value."""
    for name, wanted in filters.items():
        if not all(name.split(".")):
            raise Invalid(f"{name!r} is not the name of a field, such as address.country", "config.filters")
        if wanted == []:
            raise Invalid(f"the filter {name!r} accepts no value; list at least one", "config.filters")


def _problem(
    job_type: JobType, source_id: str | None, config: JobConfig, options: JobOptions
) -> tuple[str, str] | None:
    if config.date_range is not None and config.date_range.end <= config.date_range.start:
        return "the end must be after the start", "config.dateRange.end"
    match job_type:
        case JobType.SYNC | JobType.IMPORT | JobType.MIGRATION if source_id is None:
            return f"a {job_type.value} job needs a sourceId", "sourceId"
        case JobType.BACKUP if options.mode is BackupMode.INCREMENTAL and config.date_range is not None:
            return (
                "an incremental backup has no dateRange: it begins where the backup before ended",
                "config.dateRange",
            )
        case JobType.EXPORT if (source_id is None) == (options.backup_id is None):
            return "an export job needs either a sourceId or the option backupId", "sourceId"
        case JobType.IMPORT if (options.backup_id is None) == (options.upload_id is None):
            return "an import job needs either the option backupId or uploadId", "config.options"
        case JobType.MIGRATION if options.target_source_id in (None, source_id):
            return (
                "a migration job needs the option targetSourceId, another source",
                "config.options.targetSourceId",
            )
    return None


def _alias(name: str) -> str:
    return str(JobOptions.model_fields[name].alias)
