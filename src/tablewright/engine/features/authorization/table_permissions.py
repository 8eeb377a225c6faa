"""Table permissions: the permissions of operations on tables, streams, backups, exports and imports.

Permission resources: the ARNs of what a request uses, and the condition keys that come with them.

An ARN is made of the name of the resource, and never taken from the request: the engine finds some resources by an ARN
of any region, and a policy must not be evaded by such an ARN.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tablewright.dynamodb.policies import Permission, RequestContext
from tablewright.dynamodb.policies.principals import Values
from tablewright.engine.core.buckets.buckets import Buckets, NoSuchBucket
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn, table_arn, table_name
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable

_ORDINALS = ("First", "Second", "Third", "Fourth")


class Resource:
    """A table or an index, as a request names it; the table may not exist."""

    __slots__ = ("arn", "index", "table", "tx")

    def __init__(self, tx: Reading, name: str, index: str | None = None) -> None:
        self.tx = tx
        self.table: StoredTable | None = tx.state.catalog.find(table_name(name))
        arn = table_arn(tx.state.region, self.table.name if self.table else table_name(name))
        self.arn = f"{arn}/index/{index}" if index else arn
        self.index: StoredIndex | None = self.table.index(index) if self.table and index else None

    @property
    def key_names(self) -> tuple[str, ...]:
        """The partition key attributes of the table or index; none if it does not exist."""
        if self.index is not None:
            return self.index.keys.hash
        return () if self.table is None or "/index/" in self.arn else self.table.keys.hash

    def leading_keys(self, items: Iterable[Mapping[str, Any]]) -> dict[str, Values]:
        """The condition keys with the partition key values of some items."""
        names = self.key_names
        partitions = [tuple(key_text(item[name]) for name in names if name in item) for item in items]
        return partition_keys(partitions)

    def permission(self, action: str, **keys: Values) -> Permission:
        """An action on the table or index; a condition key is named without `dynamodb:`."""
        named = {f"dynamodb:{name}": values for name, values in keys.items()}
        return Permission(f"dynamodb:{action}", self.arn, RequestContext(named | self._tags()))

    def _tags(self) -> dict[str, Values]:
        tags = {} if self.table is None else self.table.definition.get("Tags") or {}
        return {f"aws:ResourceTag/{tag}": str(value) for tag, value in tags.items()}


def partition_keys(partitions: Iterable[Sequence[str]]) -> dict[str, Values]:
    """The condition keys, without `dynamodb:`, for the partition keys of a request.

    >>> partition_keys([("u1",), ("u2",)])["LeadingKeys"]
    ['u1', 'u2']
    """
    known = [partition for partition in partitions if partition]
    keys: dict[str, Values] = {"LeadingKeys": list(dict.fromkeys(partition[0] for partition in known))}
    for place, ordinal in enumerate(_ORDINALS):
        values = [partition[place] for partition in known if len(partition) > place]
        keys[f"{ordinal}PartitionKeyValues"] = list(dict.fromkeys(values))
    return keys


def key_text(value: Mapping[str, Any]) -> str:
    """The text of a key value, as policies compare it: numbers in digits, binary values in base64.

    >>> key_text({"S": "u1"}), key_text({"N": "7"})
    ('u1', '7')
    """
    return str(next(iter(value.values()), ""))


def canonical_arn(tx: Reading, arn: str) -> str:
    """An ARN of a stream, backup, export or import with this region and account."""
    parts = parse_arn(arn)
    if parts is None or not parts.resource.startswith("table/"):
        return arn
    return f"arn:aws:dynamodb:{tx.state.region}:{ACCOUNT}:{parts.resource}"


def any_table_arn(tx: Reading, kind: str = "", table: str | None = None) -> str:
    """The ARN that stands for all tables, or for all streams, backups, ... of all tables or of one."""
    arn = table_arn(tx.state.region, table_name(table) if table else "*")
    return f"{arn}/{kind}/*" if kind else arn


Request = dict[str, Any]
Needs = Callable[[Reading, Request, Any], Iterator[Permission]]

# What AWS requires on a table that is restored, besides the restore itself.
_RESTORED = (
    "BatchWriteItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "UpdateItem",
)
_EXPORT_FILES = (
    "_started",
    "manifest-files.json",
    "manifest-files.md5",
    "manifest-summary.json",
    "manifest-summary.md5",
)


def on_table(action: str, member: str = "TableName") -> Needs:
    """An action on the table that a member names, or on the index that IndexName names."""

    def needs(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
        yield Resource(tx, raw[member], raw.get("IndexName")).permission(action)

    return needs


def on_arn(action: str, member: str) -> Needs:
    """An action on the stream, backup, export or import of an ARN."""

    def needs(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
        yield _plain(action, canonical_arn(tx, raw[member]))

    return needs


def on_resource(action: str) -> Needs:
    """An action on the table or stream of ResourceArn, with the tags of the request."""

    def needs(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
        arn = canonical_arn(tx, raw.get("ResourceArn") or "")
        keys = _tag_keys(raw.get("Tags") or ()) | _tag_names(raw.get("TagKeys") or ())
        if "/stream/" in arn:
            yield _plain(action, arn, keys)
        else:
            yield _tagged(Resource(tx, arn), action, keys)

    return needs


def on_all(action: str, kind: str = "", member: str = "") -> Needs:
    """An action on all tables, or on all streams, backups, ... of all tables or of one."""

    def needs(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
        yield _plain(action, any_table_arn(tx, kind, raw.get(member)))

    return needs


def on_everything(action: str) -> Needs:
    """An action without resource."""

    def needs(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
        yield _plain(action, "*")

    return needs


def on_global_table(action: str) -> Needs:
    """An action on a global table of version 2017, or on all of them."""

    def needs(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
        name = raw.get("GlobalTableName")
        yield _plain(action, f"arn:aws:dynamodb::{ACCOUNT}:global-table/{name or '*'}")
        if name and not action.startswith("Describe"):
            yield Resource(tx, name).permission(action)

    return needs


def create_table(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """CreateTable; the tags and the policy of the new table need permissions of their own."""
    resource = Resource(tx, raw["TableName"])
    tags = raw.get("Tags") or ()
    yield _tagged(resource, "CreateTable", _tag_keys(tags))
    if tags:
        yield _tagged(resource, "TagResource", _tag_keys(tags))
    if raw.get("ResourcePolicy") is not None:
        yield resource.permission("PutResourcePolicy")


def update_table(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """UpdateTable; a replica that is created or deleted needs permissions of its own."""
    resource = Resource(tx, raw["TableName"])
    yield resource.permission("UpdateTable")
    for update in raw.get("ReplicaUpdates") or ():
        if update.get("Create") is not None:
            yield resource.permission("CreateTableReplica")
        if update.get("Delete") is not None:
            yield resource.permission("DeleteTableReplica")


def get_records(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """GetRecords of the stream that the iterator belongs to."""
    yield _plain("GetRecords", canonical_arn(tx, raw["ShardIterator"].rpartition("|1|")[0]))


def restore_table_from_backup(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """The restore of the backup and to the new table, which is written."""
    yield _plain("RestoreTableFromBackup", canonical_arn(tx, raw["BackupArn"]))
    yield from _restored(tx, "RestoreTableFromBackup", raw)


def restore_table_to_point_in_time(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """The restore of the source and to the new table, which is written."""
    source = raw.get("SourceTableArn") or raw.get("SourceTableName") or ""
    yield Resource(tx, source).permission("RestoreTableToPointInTime")
    yield from _restored(tx, "RestoreTableToPointInTime", raw)


def _restored(tx: Reading, action: str, raw: Request) -> Iterator[Permission]:
    target = Resource(tx, raw["TargetTableName"])
    for name in (action, *_RESTORED):
        yield target.permission(name)


def export_table(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """The export of the table, and the writing of objects to the bucket."""
    yield Resource(tx, raw["TableArn"]).permission("ExportTableToPointInTime")
    folder = f"{raw.get('S3Prefix') or ''}/AWSDynamoDB"
    export = f"{folder}/{_next_id(tx)}"
    yield _on_object("s3:AbortMultipartUpload", raw["S3Bucket"], f"{folder}/data")
    for key in (f"{folder}/data", f"{export}/data/items", *(f"{export}/{name}" for name in _EXPORT_FILES)):
        yield _on_object("s3:PutObject", raw["S3Bucket"], key)


SOURCES = {"ImportTable": "S3BucketSource", "StartBulkPutItems": "InputS3Configuration"}
"""The operations that read objects of a bucket, each with the member that names them."""


def import_table(tx: Reading, raw: Request, parsed: Any, keys: Sequence[str] = ()) -> Iterator[Permission]:
    """The import to the new table, and the reading of the objects with those keys."""
    yield Resource(tx, raw["TableCreationParameters"]["TableName"]).permission("ImportTable")
    yield from _read_objects(raw[SOURCES["ImportTable"]], keys)


def start_bulk_put_items(
    tx: Reading, raw: Request, parsed: Any, keys: Sequence[str] = ()
) -> Iterator[Permission]:
    """The writes to the table, the reading of the objects with those keys, and the writing of reports."""
    yield Resource(tx, raw["TableName"]).permission("StartBulkPutItems")
    yield from _read_objects(raw[SOURCES["StartBulkPutItems"]], keys)
    output = raw["OutputS3Configuration"]
    folder = f"{output.get('S3KeyPrefix') or ''}/AWSDynamoDB/{_next_id(tx)}"
    for name in (*(kind.lower() for kind in output["OutputType"]), "manifest-summary"):
        yield _on_object("s3:PutObject", output["S3Bucket"], f"{folder}/{name}.json")


def listing_of(source: Request) -> Permission:
    """The listing of a bucket."""
    context = RequestContext({"s3:prefix": source.get("S3KeyPrefix") or ""})
    return Permission("s3:ListBucket", f"arn:aws:s3:::{source['S3Bucket']}", context)


def _read_objects(source: Request, keys: Sequence[str]) -> Iterator[Permission]:
    """The listing of the bucket, and the reading of each object; without one, of the prefix itself."""
    yield listing_of(source)
    for key in keys or [source.get("S3KeyPrefix") or ""]:
        yield Permission("s3:GetObject", f"arn:aws:s3:::{source['S3Bucket']}/{key}", RequestContext({}))


def object_keys(directory: Path | None, source: Request) -> list[str]:
    """The keys of the objects of a bucket that start with the prefix of a source."""
    if directory is None:
        return []
    try:
        bucket = Buckets(directory).bucket(source["S3Bucket"])
    except NoSuchBucket:
        return []  # the operation itself fails
    return [bucket.key(path) for path in bucket.objects(source.get("S3KeyPrefix") or "")]


def _on_object(action: str, bucket: str, key: str) -> Permission:
    """An action on an object; as in a bucket, the empty parts of a key do not count."""
    parts = "/".join(part for part in key.split("/") if part)
    return Permission(action, f"arn:aws:s3:::{bucket}/{parts}", RequestContext({}))


def _next_id(tx: Reading) -> str:
    """An ID as a job that starts now gets it; its random part is not known yet."""
    return f"{round(tx.now() * 1000):014}-00000000"


def _plain(action: str, arn: str, keys: dict[str, Values] | None = None) -> Permission:
    return Permission(f"dynamodb:{action}", arn, RequestContext(keys or {}))


def _tagged(resource: Resource, action: str, keys: dict[str, Values]) -> Permission:
    need = resource.permission(action)
    return Permission(need.action, need.resource, need.context.merged(keys))


def _tag_keys(tags: Any) -> dict[str, Values]:
    named = {str(tag.get("Key")): str(tag.get("Value")) for tag in tags}
    return {f"aws:RequestTag/{key}": value for key, value in named.items()} | _tag_names(named)


def _tag_names(names: Any) -> dict[str, Values]:
    return {"aws:TagKeys": [str(name) for name in names]} if names else {}
