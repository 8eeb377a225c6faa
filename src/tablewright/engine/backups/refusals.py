"""What the calls about backups, restores, exports and imports are refused with."""

from tablewright.errors import ServiceError


class BackupNotFound(ServiceError):
    """There is no such backup."""

    code = "BackupNotFoundException"


class BackupInUse(ServiceError):
    """The backup is being made, or a table is being restored from it."""

    code = "BackupInUseException"


class TableAlreadyExists(ServiceError):
    """A restore cannot replace a table."""

    code = "TableAlreadyExistsException"


class TableInUse(ServiceError):
    """The table is being restored."""

    code = "TableInUseException"


class PointInTimeRecoveryUnavailable(ServiceError):
    """The table has no point-in-time recovery."""

    code = "PointInTimeRecoveryUnavailableException"


class InvalidRestoreTime(ServiceError):
    """The table cannot be restored to that moment."""

    code = "InvalidRestoreTimeException"


class InvalidExportTime(ServiceError):
    """The table cannot be exported as of that moment."""

    code = "InvalidExportTimeException"


class ExportConflict(ServiceError):
    """A client token was used again for another export."""

    code = "ExportConflictException"


class ExportNotFound(ServiceError):
    """There is no such export."""

    code = "ExportNotFoundException"


class ImportConflict(ServiceError):
    """A client token was used again for an import into another table."""

    code = "ImportConflictException"


class ImportNotFound(ServiceError):
    """There is no such import."""

    code = "ImportNotFoundException"
