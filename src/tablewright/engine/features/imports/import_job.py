"""Import job: a new table with the items of files in a bucket. The table appears when it and its indexes are complete.

Invalid items are counted and logged; the others are imported, and the import ends as failed, as on AWS.

Table load: writes the items of an import in the order of the table's keys.

Keys begin with a hash, so items in any other order belong to random pages of the file, and each would change another
page. Items that come in the order of the table, as an export has them, are written at once. From the first item that
does not, the others are sorted before they are written, beside the data file (`jobs.row_sorter`). In memory there are
no pages to save: there all items are written as they come.

Index rows are not written: they are at other places, and are sorted for each index when the table is complete.
"""

import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablewright.dynamodb.values.attributes import admit_item
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.buckets.buckets import Buckets, Denied, NoSuchBucket
from tablewright.engine.core.buckets.import_files import Malformed, ObjectSource, Reader, reader_of
from tablewright.engine.core.jobs import index_fills, job_records, row_removals
from tablewright.engine.core.jobs.backup_arns import ResourceName, arn_of, new_name
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.requests.arns import ACCOUNT
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.row_batches import Row
from tablewright.engine.core.tables.table_definitions import new_definition
from tablewright.engine.core.tables.table_descriptions import describe_new
from tablewright.engine.core.writes.item_writes import require_item_size
from tablewright.errors import ServiceError

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job


from collections.abc import Callable
from typing import TYPE_CHECKING

from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.jobs.row_sorter import RowSorter
from tablewright.engine.core.state.row_batches import MAX_BYTES, batches

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job


REPORT_ITEMS = 10_000
"""Items that are read for a sort between two reports of progress."""


class TableLoad:
    """Fills the empty space of a table; of several items with the same key, the one that was added last stays.

    `items_at_once` are the items of one transaction, at most; `save_progress` is called in each transaction.
    Use it in a `with` statement.
    """

    def __init__(
        self, job: "Job", table: StoredTable, items_at_once: int, save_progress: Callable[[Writing], None]
    ) -> None:
        self._job = job
        self._table = table.without_indexes()
        self._items_at_once = items_at_once
        self._save_progress = save_progress
        path = job.state.store.path
        self._sorter = None if path is None else RowSorter(path.parent)
        self._is_sorting = False
        self._has_written = False
        self._waiting: list[Row] = []
        """Items in the order of the table that are not written yet."""
        self._size = 0
        self._last = b""
        self._unreported = 0

    def __enter__(self) -> "TableLoad":
        return self

    def __exit__(self, *_: object) -> None:
        if self._sorter is not None:
            self._sorter.close()

    def add(self, row: Row) -> None:
        """Add an item with its key."""
        if self._sorter is not None and (self._is_sorting or row[0] <= self._last):
            self._sort(self._sorter, row)
            return
        self._last = row[0]
        self._waiting.append(row)
        self._size += row[1].size
        if len(self._waiting) >= self._items_at_once or self._size > MAX_BYTES:
            self._write_waiting()

    def finish(self) -> None:
        """Write the items that are not written yet."""
        self._write_waiting()
        if self._sorter is not None:
            for batch in batches(self._sorter.rows(), self._items_at_once):
                self._write(batch)

    def _sort(self, sorter: RowSorter, row: Row) -> None:
        if not self._is_sorting:
            self._is_sorting = True
            for key, item in self._waiting:
                sorter.add(key, item)
            self._waiting = []
        sorter.add(*row)
        self._unreported += 1
        if self._unreported >= REPORT_ITEMS:
            self._unreported = 0
            self._job.write(self._save_progress)

    def _write_waiting(self) -> None:
        if self._waiting:
            batch, self._waiting, self._size = self._waiting, [], 0
            self._write(batch)

    def _write(self, batch: list[Row]) -> None:
        # Items that are written in order cannot be there already, unless some were written before the sort began.
        may_exist = self._sorter is None or (self._is_sorting and self._has_written)

        def write(tx: Writing) -> None:
            table = self._table
            for key, item in batch:
                old = tx.rows.get(table.space, key) if may_exist else None
                tx.apply_uncharged(ItemChange(table, key, old, item))
            self._save_progress(tx)

        self._job.write(write)
        self._has_written = True


ITEMS_AT_ONCE = 500
"""Items of one transaction, at most; they are ready to be written, so the transaction is short."""
# A file of invalid items only should not fill the log.
MAX_LOGGED = 100

_ITEMS_FAILED = (
    "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more "
    "details."
)
# Values of an item are not type-checked yet, and may fail in any of these ways.
_INVALID_ITEM = (ServiceError, AttributeError, LookupError, TypeError, ValueError)
_log = logging.getLogger("tablewright.engine")


class Counts:
    """Number of items imported and rejected, and of bytes read."""

    def __init__(self) -> None:
        self.size = 0
        self.imported = 0
        self.errors = 0

    def show(self) -> dict[str, int]:
        """The counters as members of an import description."""
        return {
            "ProcessedItemCount": self.imported + self.errors,
            "ImportedItemCount": self.imported,
            "ErrorCount": self.errors,
        }


def create(tx: Writing, request: dict[str, Any], parameters: dict[str, Any]) -> tuple[ResourceName, Document]:
    """Save a new import, and schedule its job; `parameters` describe the table."""
    now = round(tx.now(), 3)
    description = describe_new(parameters, tx.state.region, now)
    name = new_name(tx.rows, "import", parameters["TableName"], now)
    source = request["S3BucketSource"]
    shown = {
        "ImportArn": arn_of(description["TableArn"], "import", name),
        "ImportStatus": "IN_PROGRESS",
        "TableArn": description["TableArn"],
        "TableId": description["TableId"],
        "ClientToken": request["ClientToken"],
        "S3BucketSource": {"S3BucketOwner": ACCOUNT, **source},
        **Counts().show(),
        "CloudWatchLogGroupArn": (
            f"arn:aws:logs:{tx.state.region}:{ACCOUNT}:log-group:/aws-dynamodb/imports:*"
        ),
        "InputFormat": request["InputFormat"],
        "InputCompressionType": request.get("InputCompressionType") or "NONE",
        "TableCreationParameters": parameters,
        "StartTime": now,
    }
    if request.get("InputFormatOptions"):
        shown["InputFormatOptions"] = request["InputFormatOptions"]
    document = {"Description": shown}
    job_records.save(tx.rows, "import", name.key, document)
    _schedule(tx, name.key, description)
    return name, document


def _schedule(tx: Writing, key: str, description: dict[str, Any]) -> None:
    schedule(tx, new_key(tx), "import", {"Import": key, "Definition": new_definition(tx, description)})


def run(job: "Job") -> None:
    """Run the job: read the objects, write the items, then make the table visible."""
    record = job.document
    document = job.read(lambda tx: job_records.find(tx.rows, "import", record["Import"]))
    assert document is not None
    description, table, counts = document["Description"], StoredTable.compile(record["Definition"]), Counts()
    index_fills.clear(job, *table.definition["Spaces"].values())
    try:
        objects = _objects(job, description["S3BucketSource"])
    except NoSuchBucket as missing:
        problem = missing.problem
        outcome = _failure("S3NoSuchBucket", problem, "404", "NoSuchBucket")
    except Denied:
        outcome = _failure("S3AccessDenied", "Access Denied", "403", "AccessDenied")
    else:
        _read_all(job, table, description, objects, counts)
        outcome = {"ProcessedSizeBytes": counts.size, **_status(counts)}
    job.write(partial(_finish, job=job, table=table, description=description | counts.show() | outcome))


def _objects(job: "Job", source: dict[str, Any]) -> list[Path]:
    if source["S3BucketOwner"] != ACCOUNT:
        raise Denied
    bucket = Buckets(job.state.bucket_directory).bucket(source["S3Bucket"])
    return list(bucket.objects(source.get("S3KeyPrefix") or ""))


def _failure(code: str, message: str, status: str, s3_code: str) -> dict[str, Any]:
    detail = f"{message} (Service: Amazon S3; Status Code: {status}; Error Code: {s3_code})"
    return {"ImportStatus": "FAILED", "FailureCode": code, "FailureMessage": detail}


def _status(counts: Counts) -> dict[str, Any]:
    if not counts.errors:
        return {"ImportStatus": "COMPLETED"}
    return {"ImportStatus": "FAILED", "FailureCode": "ItemValidationError", "FailureMessage": _ITEMS_FAILED}


def _read_all(
    job: "Job", table: StoredTable, description: dict[str, Any], objects: list[Path], counts: Counts
) -> None:
    types = {name: kind for keys in _schemas(table) for name, kind in keys.items()}
    reader = reader_of(description["InputFormat"], description.get("InputFormatOptions"), types)
    save_counts = partial(_save_counts, job=job, counts=counts)
    with TableLoad(job, table, ITEMS_AT_ONCE, save_counts) as load:
        for path in objects:
            source = ObjectSource(path, description["InputCompressionType"])
            for row in _rows(source, reader, table, path, counts):
                counts.imported += 1
                load.add(row)
            counts.size += source.size
        load.finish()
    index_fills.fill_indexes(job, table)


def _schemas(table: StoredTable) -> Iterator[dict[str, str]]:
    yield dict(table.keys.types)
    for index in table.indexes:
        yield dict(index.keys.types)
    for other_index in table.other_indexes:
        yield dict(other_index.types)


def _rows(
    source: ObjectSource, reader: Reader, table: StoredTable, path: Path, counts: Counts
) -> Iterator[Row]:
    """The valid items of an object; the others are counted."""
    number = 0
    try:
        for item in reader(source):
            number += 1
            try:
                yield _row(item, table)
            except _INVALID_ITEM as error:
                _count_invalid(counts, path, number, error)
    except Malformed as error:
        _count_invalid(counts, path, number + 1, error)


def _row(item: dict[str, Any], table: StoredTable) -> Row:
    attributes, size = admit_item(item)
    require_item_size(size)
    return table.key_of_item(attributes), StoredItem.of(attributes, size)


def _count_invalid(counts: Counts, path: Path, number: int, error: Exception) -> None:
    counts.errors += 1
    if counts.errors <= MAX_LOGGED:
        _log.warning("import: item %d of %s was skipped: %s", number, path, error)


def _save_counts(tx: Writing, job: "Job", counts: Counts) -> None:
    document = job_records.find(tx.rows, "import", job.document["Import"])
    assert document is not None
    document["Description"] |= counts.show()
    job_records.save(tx.rows, "import", job.document["Import"], document)


def _finish(tx: Writing, job: "Job", table: StoredTable, description: dict[str, Any]) -> None:
    catalog = tx.state.catalog
    is_taken = catalog.find(table.name) or catalog.announced(tx.rows, table.name)
    if is_taken:
        description |= {
            "ImportStatus": "FAILED",
            "FailureCode": "TableAlreadyExists",
            "FailureMessage": f"Table already exists: {table.name}",
        }
    if is_taken or "ProcessedSizeBytes" not in description:
        row_removals.remove_spaces(tx, table.definition["Spaces"].values())
    else:
        catalog.save(tx.rows, table.definition)
    description["EndTime"] = round(tx.now(), 3)
    job_records.save(tx.rows, "import", job.document["Import"], {"Description": description})
    job.end(tx)
