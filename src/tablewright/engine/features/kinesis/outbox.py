"""The outbox: records of changes that were not delivered to their Kinesis stream yet.

    RECORDS   destination, sequence number  ->  the record as JSON, one line of the stream's file
    META      "kinesis", destination        ->  the stream's ARN and the table's name

A record is written in the transaction of its change, so a change always has its record. Delivery appends records to the
stream's file and then removes them from the outbox: in order, and at least once, as Kinesis receives them on AWS.
The file of the stream `orders` is `kinesis/orders.jsonl` in the directory of the buckets.
"""

import logging
import os
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.key_bytes import after
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.changes import ItemChange, is_unchanged
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.sessions import Effect, Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import META, RECORDS
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.core.state.sequence_numbers import position
from tablewright.errors import TablewrightError

_log = logging.getLogger("tablewright.engine")

FOLDER = "kinesis"
_ANNOUNCED = b"kinesis\x00"
_RECORDS_AT_ONCE = 1000
_RECORD = (
    b'{"awsRegion":"%b","eventID":"%b","eventName":"%b","userIdentity":%b,"recordFormat":"application/json",'
    b'"tableName":"%b","dynamodb":{"ApproximateCreationDateTime":%d,"Keys":%b%b,"SizeBytes":%d%b},'
    b'"eventSource":"aws:dynamodb"}'
)
_SERVICE = b'{"principalId":"dynamodb.amazonaws.com","type":"Service"}'


def announce(tx: Writing, number: int, arn: str, table: str) -> None:
    """Register a new destination, whose records are to be delivered."""
    about = {"Arn": arn, "Table": table}
    tx.rows.put(META, _ANNOUNCED + str(number).encode(), StoredItem(encode(about), 0))
    tx.state.sweep_timer.start()


def outbox_effect(definition: Mapping[str, Any]) -> Effect | None:
    """The effect of a table with an active destination: write the record of a change, if the item did change."""
    active = [
        destination
        for destination in definition.get("Kinesis") or ()
        if destination["DestinationStatus"] == "ACTIVE"
    ]
    if not active:
        return None

    def append_to_outbox(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
        if tx.state.bucket_directory is None or is_unchanged(change.old, change.new):
            return  # A copy in memory of a database has no directory: it has no streams.
        now = tx.now()
        for destination in active:
            number = tx.state.sequences[RECORDS].next(tx.rows, destination["Id"], now)
            record = _record(change, destination, now, tx.state.region)
            tx.rows.put(RECORDS, position(destination["Id"], number), StoredItem(record, 0))

    return append_to_outbox


def _record(change: ItemChange, destination: Mapping[str, Any], now: float, region: str) -> bytes:
    old, new = change.old, change.new
    item = new or old
    assert item is not None
    keys = change.table.keys.pick(item.attributes)
    images, size = b"", item_size(keys)
    for name, image in ((b"NewImage", new), (b"OldImage", old)):
        if image is not None:
            images += b',"%b":%b' % (name, image.raw)
            size += image.size
    precision = destination.get("Precision")
    shown = b',"ApproximateCreationDateTimePrecision":"%b"' % precision.encode() if precision else b""
    return _RECORD % (
        region.encode(),
        str(uuid.uuid4()).encode(),
        b"INSERT" if old is None else b"REMOVE" if new is None else b"MODIFY",
        _SERVICE if change.expired else b"null",
        change.table.name.encode(),
        int(now * (1_000_000 if precision == "MICROSECOND" else 1000)),
        encode(keys),
        images,
        size,
        shown,
    )


def new_lock(state: EngineState) -> None:
    """Create the lock that the thread holds which delivers records."""
    state.parts[FOLDER] = threading.Lock()


def sweep_outbox(sessions: Sessions, limit: int | None) -> int:
    """Deliver all records, as a part of the sweeper; no item is deleted."""
    deliver(sessions)
    return 0


def deliver_before_closing(sessions: Sessions) -> None:
    """Deliver all records before the database is closed."""
    try:
        deliver(sessions)
    except (OSError, TablewrightError):
        _log.exception("records for Kinesis streams are delivered when the database is opened again")


def deliver(sessions: Sessions) -> int:
    """Append all records to the files of their streams; return the number of records."""
    directory = sessions.state.bucket_directory
    if directory is None:
        return 0
    # One at a time: the order of a stream is that of its outbox.
    with sessions.state.parts[FOLDER]:
        announced = sessions.read(lambda tx: list(_announced(tx)))
        return sum(_deliver_one(sessions, number, about, directory) for number, about in announced)


def _deliver_one(sessions: Sessions, number: int, about: Mapping[str, Any], directory: Path) -> int:
    delivered = 0
    while lines := sessions.read(partial(_lines, number=number)):
        append_lines(stream_file(directory, about["Arn"]), lines.values())
        sessions.write(partial(_remove, lines=lines))
        delivered += len(lines)
    if sessions.read(partial(_is_finished, number=number, about=about)):
        sessions.write(partial(_forget, number=number))
    return delivered


def stream_file(directory: Path, arn: str) -> Path:
    """The file that stands for a stream."""
    return directory / FOLDER / f"{arn.rpartition('/')[2]}.jsonl"


def append_lines(file: Path, lines: Iterable[bytes]) -> None:
    """Append lines to a file durably; a new file can be read by its owner only."""
    file.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(file, flags, 0o600), "ab") as opened:
        opened.writelines(line + b"\n" for line in lines)
        opened.flush()
        os.fsync(opened.fileno())


def _announced(tx: Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    for key, row in tx.rows.range(META, _ANNOUNCED, after(_ANNOUNCED)):
        yield int(key[len(_ANNOUNCED) :]), decode(row.raw)


def _lines(tx: Reading, number: int) -> dict[bytes, bytes]:
    rows = tx.rows.range(RECORDS, position(number, 0), position(number + 1, 0))
    return {key: row.raw for key, row in islice(rows, _RECORDS_AT_ONCE)}


def _remove(tx: Writing, lines: dict[bytes, bytes]) -> None:
    keys = list(lines)
    tx.rows.delete_range(RECORDS, keys[0], keys[-1] + b"\x00")


def _forget(tx: Writing, number: int) -> None:
    tx.rows.delete(META, _ANNOUNCED + str(number).encode())


def _is_finished(tx: Reading, number: int, about: Mapping[str, Any]) -> bool:
    """Whether no further record can follow: the destination was disabled, or its table was deleted."""
    table = tx.state.catalog.find(about["Table"])
    destinations = table.definition.get("Kinesis") or [] if table else []
    return not any(destination.get("Id") == number for destination in destinations) and not _lines(tx, number)
