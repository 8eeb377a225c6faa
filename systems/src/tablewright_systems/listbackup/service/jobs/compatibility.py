"""Whether the platforms and data types of a job fit together: those of its sources, its backup and its upload.

Platforms have records of different shapes. A record of one platform that is written to another loses its fields, so
backups are written only to sources of their own platform.
"""

from collections.abc import Iterable

from tablewright import Repository
from tablewright_systems.listbackup.design.archives import Archive, ArchiveKind
from tablewright_systems.listbackup.design.jobs import JobConfig
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.platforms.platforms import APIS
from tablewright_systems.listbackup.service.backups import archives
from tablewright_systems.listbackup.service.jobs.options import JobOptions
from tablewright_systems.listbackup.service.sources.sources import get_source, require_data_types
from tablewright_systems.service.errors import Invalid

DATA_TYPES_FIELD = "config.dataTypes"
TARGET_FIELD = "config.options.targetSourceId"


def require_compatible(
    db: Repository, account_id: str, source_id: str | None, config: JobConfig, options: JobOptions
) -> None:
    """Require that the backup or upload of a new job is complete, and fits its sources and data types."""
    source = None if source_id is None else get_source(db, account_id, source_id)
    if options.target_source_id is not None and source is not None:
        target = get_source(db, account_id, options.target_source_id)
        require_same_platform(source.platform, target, TARGET_FIELD)
    _require_data_types(source, config.data_types)
    if options.backup_id is not None:
        backup = archives.complete_archive(db, account_id, options.backup_id, ArchiveKind.BACKUP)
        if source is not None:
            require_same_platform(backup.platform, source)
        _require_part_of(backup, config.data_types)
    if options.upload_id is not None:
        upload = archives.complete_archive(db, account_id, options.upload_id, ArchiveKind.UPLOAD)
        _require_data_types(source, upload.data_types, "config.options.uploadId")
        _require_part_of(upload, config.data_types)


def require_same_platform(platform: str | None, target: Source, field: str = "sourceId") -> None:
    """Require that records of a platform are written to a source of this platform; uploads have no platform."""
    if platform is not None and platform != target.platform:
        raise Invalid(
            f"this backup is from {platform}, but the source is {target.platform}; "
            f"restore it to a {platform} source",
            field,
        )


def _require_data_types(
    source: Source | None, data_types: Iterable[str], field: str = DATA_TYPES_FIELD
) -> None:
    """Require data types that the platform of the source has; without a source, those that some platform has."""
    if source is not None:
        if source.platform in APIS:  # otherwise it is a source from V1, and the worker rejects its platform
            require_data_types(source.platform, data_types, field)
        return
    known = list(dict.fromkeys(each for api in APIS.values() for each in api.data_types))
    if unknown := sorted(set(data_types) - set(known)):
        raise Invalid(f"no platform has {', '.join(unknown)}; platforms have {', '.join(known)}", field)


def _require_part_of(archive: Archive, data_types: Iterable[str]) -> None:
    if missing := sorted(set(data_types) - set(archive.data_types)):
        kind, found = archive.kind.value, ", ".join(archive.data_types)
        raise Invalid(f"the {kind} has no {', '.join(missing)}; it has {found}", DATA_TYPES_FIELD)
