"""Archives: backups of sources, exports for users, and files that users upload. Their content is in an object store.

The document stores a job's result at `outputLocation` and describes no table for it. An archive is complete
when its manifest is stored. `dependents` counts the incremental backups that continue a backup: it is never deleted
before them. Each chunk of an archive is an item, so that a worker continues after the last one.
"""

from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.jobs import DateRange
from tablewright_systems.listbackup.design.vocabulary import (
    AWS_MANAGED_KEY,
    NOT_SHOWN,
    DataType,
    Document,
    Id,
    Platform,
)
from tablewright_systems.service import Timestamped

EXPIRY_SHARDS = 4

archives = Table(
    "${AWS::StackName}-archives",
    key=("accountId", "archiveId"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("accountId-kind-index", "accountId", "kind#archiveId"),
        Index("sourceId-archiveId-index", "sourceId", "archiveId"),
        Index("expiry-index", "expiryShard", "expiresAt#archiveId"),
    ],
)


class ArchiveKind(Enum):
    """What an archive is for."""

    BACKUP = "backup"
    EXPORT = "export"
    UPLOAD = "upload"


class ArchiveStatus(Enum):
    """The state of an archive."""

    WRITING = "writing"
    COMPLETE = "complete"
    DELETING = "deleting"


class FileFormat(Enum):
    """The format of a file for users."""

    JSON = "json"
    CSV = "csv"


class Archive(Timestamped, table=archives, type="ARCHIVE", schema_version=1):
    """The files of a backup, an export or an upload."""

    account_id: Id
    archive_id: Id = fields.new_id()
    kind: ArchiveKind
    status: ArchiveStatus = ArchiveStatus.WRITING
    source_id: Id | None = None
    job_id: Id | None = None
    platform: Platform | None = None
    base_archive_id: Id | None = None
    """The backup that an incremental one continues; None for a full one."""
    depth: Annotated[int, Field(ge=0)] = 0
    """The number of backups below an incremental one."""
    dependents: Annotated[int, fields.Counter()] = 0
    data_types: list[DataType] = Field(default_factory=list, max_length=50)
    since: fields.Timestamp | None = None
    """An incremental backup contains the records that changed from this time on."""
    date_range: DateRange | None = None
    filters: Document = Field(default_factory=dict)
    format: FileFormat = FileFormat.JSON
    records: Annotated[int, fields.Counter()] = 0
    size: Annotated[int, fields.Counter()] = 0
    """The bytes that count towards the account's storage."""
    counts: dict[str, int] = Field(default_factory=dict)
    """Records of each data type, when the archive is complete."""
    data_key: Annotated[str, fields.Encrypted(context=("account_id",)), NOT_SHOWN]
    """The key of its files."""
    completed_at: fields.Timestamp | None = None
    expires_at: fields.Timestamp
    """When a worker decides whether to delete it."""
    created_by: Id

    keys = Keys(
        indexes={
            "accountId-kind-index": ("{account_id}", "{kind}#{archive_id}"),
            "sourceId-archiveId-index": Sparse("{source_id}", "{archive_id}", when="source_id"),
            "expiry-index": ("{archive_id:shard(4)}", "{expires_at}#{archive_id}"),
        }
    )
    suppress: ClassVar = {"TW107": "an id contains no #"}


class ArchiveChunk(Entity, table=archives, type="ARCHIVE_CHUNK", schema_version=1):
    """One stored chunk of an archive."""

    account_id: Annotated[Id, Field(alias="ownerAccountId")]
    archive_id: Annotated[Id, Field(alias="ownerArchiveId")]
    data_type: DataType
    number: Annotated[int, Field(ge=0, lt=1_000_000)]
    name: str
    records: int
    size: int
    sha256: str

    keys = Keys(primary=("{account_id}#{archive_id}", "{data_type}#{number:06}"))


class ArchiveOfAccount(Get[Archive]):
    """Get an archive of an account."""

    account_id: str
    archive_id: str
    consistent = True


class ArchiveSummary(Query[Archive]):
    """Get what is known of an archive without its key, which may be deleted."""

    account_id: str
    archive_id: str
    fields = (
        *("kind", "status", "source_id", "job_id", "base_archive_id", "dependents"),
        *("size", "completed_at", "expires_at"),
    )
    consistent = True


class ArchivesOfKind(Query[Archive]):
    """Get the backups, exports or uploads of an account, newest first."""

    account_id: str
    kind: ArchiveKind
    key = "accountId = {account_id} AND begins_with(kind#archiveId, {kind}#)"
    descending = True


class ArchivesOfSource(Query[Archive]):
    """Get the archives of a source, newest first."""

    source_id: str
    index = "sourceId-archiveId-index"
    descending = True


class ArchiveIdsOfAccount(Query[Archive]):
    """Get the ids of an account's archives, without decrypting their keys: those may be deleted."""

    account_id: str
    fields = ("archive_id",)
    consistent = True


class ArchivesExpiring(Query[Archive]):
    """One shard of the archives that may be deleted, without decrypting their keys, the earliest first."""

    shard: int
    now: fields.Timestamp
    fields = ("account_id", "archive_id")
    cursor_ignores = ("now",)
    key = "expiryShard = {shard} AND expiresAt#archiveId < {now}#~"


class ChunksOfArchive(Query[ArchiveChunk]):
    """Get the chunks of an archive, by data type and number."""

    account_id: str
    archive_id: str
    consistent = True


ENTITIES = (Archive, ArchiveChunk)
PATTERNS = (
    ArchiveOfAccount,
    ArchiveSummary,
    ArchivesOfKind,
    ArchivesOfSource,
    ArchiveIdsOfAccount,
    ArchivesExpiring,
    ChunksOfArchive,
)
