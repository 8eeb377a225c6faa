"""Bulk records: the records of an input object, each an item and perhaps a condition.

    {"Item": {...}, "ConditionExpression": "...", "ExpressionAttributeNames": {...}, "ExpressionAttributeValues": {...}}

DynamoDB JSON has one record on each line; Ion has a struct with the same members. A record that does not parse, or has
no item, ends its object, as in an import. Any other invalid record is reported, and the next is read.

Bulk reports: the files with the records that a bulk operation did not write, and their manifest.

    prefix/AWSDynamoDB/ID/error.json                     records that are not valid, one on each line
    prefix/AWSDynamoDB/ID/condition_check_failure.json   records whose condition was false, with the existing item
    prefix/AWSDynamoDB/ID/manifest-summary.json          the result of the operation and the keys of these files

A kill neither loses nor doubles a line. The lines of a step are committed with its writes, as `Pending` in the record
of the job, and are appended to the file after the commit. A job that continues appends them again, at the same place.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import require_one_style
from tablewright.dynamodb.values.attributes import admit_item
from tablewright.dynamodb.values.stored_items import StoredItem, encode
from tablewright.engine.core.buckets.buckets import Bucket
from tablewright.engine.core.buckets.import_files import Malformed, ObjectSource, ion_records, json_records
from tablewright.engine.core.requests.shapes import ITEM, NAMES, Shape, Text, required
from tablewright.engine.core.writes.item_writes import PutItemWrite, require_item_size, write_condition_of
from tablewright.errors import ServiceError, ValidationError

RECORD = Shape(
    Item=required(ITEM),
    ConditionExpression=Text(),
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=ITEM,
)

READERS: dict[str, Callable[[ObjectSource], Iterator[dict[str, Any]]]] = {
    "DYNAMODB_JSON": json_records,
    "ION": ion_records,
}


class RecordFailure(NamedTuple):
    """The error of a record that cannot be put."""

    code: str
    message: str


class Record(NamedTuple):
    """One record of an object: the write that it requests, or the reason why there is none."""

    number: int
    """Position in the object, from 1."""
    position: int
    """Bytes of the object read up to here, uncompressed."""
    item: Any
    """The item as the object has it; None when the record does not parse."""
    write: PutItemWrite | None
    failure: RecordFailure | None = None


def read_records(source: ObjectSource, input_format: str, table: str) -> Iterator[Record]:
    """The records of an object, in order; `table` is the name of the table to put them into."""
    number = 0
    try:
        for record in READERS[input_format](source):
            number += 1
            yield _parsed(record, table, number, source.size)
    except Malformed as error:
        yield Record(number + 1, source.size, None, None, RecordFailure("ParsingError", str(error)))


def _parsed(record: dict[str, Any], table: str, number: int, position: int) -> Record:
    item = record["Item"]
    try:
        return Record(number, position, item, put_of(record, table))
    except ServiceError as error:
        return Record(number, position, item, None, RecordFailure(error.code, error.message))


def put_of(record: dict[str, Any], table: str) -> PutItemWrite:
    """The write that a record requests; raises what PutItem raises for the same item and condition.

    >>> put_of({"Item": {"id": {"S": "ada"}}}, "users").item.size
    5
    """
    for name in record:
        if name not in RECORD.members:
            raise ValidationError(
                f"{name} is not a member of a record; a record has {', '.join(RECORD.members)}"
            )
    RECORD.check(record)
    try:
        require_one_style(record, ("ConditionExpression",), ())
        item, size = admit_item(record["Item"])
        require_item_size(size)
        return PutItemWrite(table, StoredItem.of(item, size), write_condition_of(record))
    except Exception as error:
        # A value of the wrong JSON type can raise anything, and is the error to report.
        RECORD.require_type(record)
        if isinstance(error, ServiceError):
            raise
        raise ValidationError(f"the record is not valid: {error}") from None


Report = dict[str, Any]
"""`Size`: bytes of the file before the pending lines. `Lines`: all lines. `Pending`: the lines of the last step."""

EMPTY: Report = {"Size": 0, "Lines": 0, "Pending": ""}


def extended(report: Report, lines: list[str]) -> Report:
    """The report after a step with these lines; its pending lines are in the file already."""
    return {
        "Size": report["Size"] + len(report["Pending"].encode()),
        "Lines": report["Lines"] + len(lines),
        "Pending": "".join(line + "\n" for line in lines),
    }


class ReportFiles:
    """The report files of one bulk operation."""

    def __init__(self, bucket: Bucket, prefix: str | None, operation: str) -> None:
        start = f"{prefix.rstrip('/')}/" if prefix else ""
        self._folder = f"{start}AWSDynamoDB/{operation}"
        self._bucket = bucket

    def key(self, kind: str) -> str:
        """The key of the report of a kind: ERROR or CONDITION_CHECK_FAILURE."""
        return f"{self._folder}/{kind.lower()}.json"

    def begin(self) -> None:
        """Create the folder: the bucket is writable."""
        self._bucket.path(f"{self._folder}/any").parent.mkdir(parents=True, exist_ok=True)

    def append(self, kind: str, report: Report) -> None:
        """Write the pending lines of a report at their place."""
        if not report["Pending"]:
            return
        partial = Bucket.partial(self._bucket.path(self.key(kind)))
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.truncate(report["Size"])
            file.seek(report["Size"])
            file.write(report["Pending"].encode())
            file.flush()
            os.fsync(file.fileno())

    def finish(self, reports: dict[str, Report], summary: dict[str, Any]) -> None:
        """Make the reports visible, and write the manifest. Repeated after a kill, it has the same result."""
        files = []
        for kind, report in reports.items():
            path = self._bucket.path(self.key(kind))
            partial = Bucket.partial(path)
            if partial.exists():
                partial.replace(path)
            if report["Lines"]:
                entry = {"outputType": kind, "itemCount": report["Lines"], "dataFileS3Key": self.key(kind)}
                files.append(entry)
        self._bucket.write(f"{self._folder}/manifest-summary.json", encode({**summary, "files": files}))
