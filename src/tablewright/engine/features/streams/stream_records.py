"""Stream records: every change of an item in a table with an open stream, in order, exactly once, for 24 hours.

    RECORDS   stream, sequence number  ->  the record as JSON, ready to send
    META      "stream", ARN            ->  a stream whose table was deleted

A record is written in the transaction of its change, so a change always has its record. A stream that was
closed, or whose table was deleted, can be read until its records expire.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.key_bytes import after
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.changes import ItemChange, is_unchanged
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.requests.shapes import Text
from tablewright.engine.core.sessions import Effect, Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import META, RECORDS, StoredTable
from tablewright.engine.core.state.sequence_numbers import numeral, position, sequence_at
from tablewright.errors import ResourceNotFound, ValidationError

# Small transactions, so that no client waits long for the sweeper.
_RECORDS_AT_ONCE = 1000

STREAMS_API = "DynamoDBStreams_20120810"
STREAM_ARN = Text(shortest=37, longest=1024)
RETENTION = 24 * 3600
# Seconds for which an iterator is valid. Trimming waits as long: until then, the records that are left show whether
# an iterator points at expired records or at none.
ITERATOR_LIFE = 15 * 60

_RETIRED = b"stream\x00"
_ARN = re.compile(
    r"arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table/(?P<table>[a-zA-Z0-9_.-]+)"
    r"/stream/[^/|]+",
    re.ASCII,
).fullmatch

_RECORD = (
    b'{"eventID":"%b","eventName":"%b","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"%b",'
    b'"dynamodb":{"ApproximateCreationDateTime":%d,"Keys":%b%b,"SequenceNumber":"%b","SizeBytes":%d,'
    b'"StreamViewType":"%b"}%b}'
)
_SERVICE = b',"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}'
# Odd, so that multiplying by it modulo a power of two maps no two numbers to one: event ids are scattered but unique.
_SCATTER = 0x9E3779B97F4A7C15F39CC0605CEDC835


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream, open or closed."""

    id: int
    arn: str
    label: str
    view_type: str
    created: float
    closed: float | None
    table: str
    key_schema: list[dict[str, Any]]

    @classmethod
    def of(cls, entry: Mapping[str, Any], description: Mapping[str, Any]) -> "Stream":
        """A stream from an entry of a table's `Streams`, and from the table's description."""
        return cls(
            id=entry["Id"],
            arn=entry["Arn"],
            label=entry["Label"],
            view_type=entry["ViewType"],
            created=entry["Created"],
            closed=entry["Closed"],
            table=description["TableName"],
            key_schema=description["KeySchema"],
        )

    def gone(self, now: float) -> bool:
        """Whether the stream was closed so long ago that all its records have expired."""
        return self.closed is not None and self.closed < now - RETENTION


def stream_effect(definition: Mapping[str, Any]) -> Effect | None:
    """The effect of a table with an open stream: append the record of a change, if the item did change."""
    stream = open_stream_of(definition)
    if stream is None:
        return None

    def append(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
        append_record(tx, change, stream)

    return append


def append_record(tx: Writing, change: ItemChange, stream: Mapping[str, Any]) -> None:
    """Append the record of a change to a stream, if the item did change."""
    if is_unchanged(change.old, change.new):
        return
    now = tx.now()
    number = tx.state.sequences[RECORDS].next(tx.rows, stream["Id"], now, stream["Created"])
    record = _record(change, stream, number, now, tx.state.region)
    tx.rows.put(RECORDS, position(stream["Id"], number), record)


def open_stream_of(definition: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The entry of the open stream of a table, when it has one."""
    return next((stream for stream in definition.get("Streams", ()) if stream.get("Closed") is None), None)


def _record(
    change: ItemChange, stream: Mapping[str, Any], number: int, now: float, region: str
) -> StoredItem:
    view, old, new = stream["ViewType"], change.old, change.new
    item = new or old
    assert item is not None
    keys = change.table.keys.pick(item.attributes)
    size = item_size(keys)
    images = b""
    if new is not None and view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
        images += b',"NewImage":' + new.raw
        size += new.size
    if old is not None and view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
        images += b',"OldImage":' + old.raw
        size += old.size
    raw = _RECORD % (
        b"%032x" % (((stream["Id"] << 80) + number) * _SCATTER % (1 << 128)),
        b"INSERT" if old is None else b"REMOVE" if new is None else b"MODIFY",
        region.encode(),
        now,
        encode(keys),
        images,
        numeral(number).encode(),
        size,
        view.encode(),
        _SERVICE if change.expired else b"",
    )
    return StoredItem(raw, size)


def require_arn(arn: str) -> None:
    """Reject an ARN that is not one of a stream."""
    if _ARN(arn) is None:
        raise ValidationError("Invalid StreamArn")


def label_of(arn: str) -> str:
    """The label in a stream's ARN: its creation time."""
    return arn.rpartition("/")[2]


def stream_of(tx: Reading, arn: str) -> Stream:
    """The stream of that ARN, or ResourceNotFoundException."""
    match = _ARN(arn)
    table = tx.state.catalog.find(match["table"]) if match else None
    candidates = [*_streams_of(table)] if table else []
    candidates += _retired(tx, arn)
    for stream in candidates:
        if stream.arn == arn and not stream.gone(tx.now()):
            return stream
    raise ResourceNotFound(f"Requested resource not found: Stream: {arn} not found")


def all_streams(tx: Reading) -> list[Stream]:
    """Every stream that can be read, the newest first."""
    now = tx.now()
    readable = [stream for stream in _known(tx) if not stream.gone(now)]
    return sorted(readable, key=lambda stream: (stream.label, stream.arn), reverse=True)


def _known(tx: Reading) -> Iterator[Stream]:
    for table in tx.state.catalog.having("Streams"):
        yield from _streams_of(table)
    yield from _retired(tx)


def _streams_of(table: StoredTable) -> Iterator[Stream]:
    for entry in table.definition.get("Streams", ()):
        yield Stream.of(entry, table.description)


def _retired(tx: Reading, arn: str = "") -> Iterator[Stream]:
    prefix = _RETIRED + arn.encode()
    for _, row in tx.rows.range(META, prefix, after(prefix)):
        kept = decode(row.raw)
        yield Stream.of(kept["Stream"], kept["Table"])


def retire(tx: Writing, table: StoredTable) -> None:
    """Close the streams of a table that is being deleted, and keep them readable."""
    about = {name: table.description[name] for name in ("TableName", "KeySchema")}
    for entry in table.definition.get("Streams", ()):
        closed = entry["Closed"] if entry["Closed"] is not None else tx.now()
        kept = {"Stream": {**entry, "Closed": closed}, "Table": about}
        tx.rows.put(META, _retired_key(entry["Arn"], entry["Id"]), StoredItem(encode(kept), 0))


def _retired_key(arn: str, stream: int) -> bytes:
    # With a frozen clock, a table that is deleted and created again has a stream of the same ARN: the id differs.
    return _RETIRED + arn.encode() + b"\x00" + str(stream).encode()


def sweep_records(sessions: Sessions, limit: int | None) -> int:
    """Delete expired records, as a part of the sweeper; no item is deleted."""
    while sessions.read(has_aged):
        sessions.write(lambda tx: trim(tx, _RECORDS_AT_ONCE))
    return 0


def has_aged(tx: Reading) -> bool:
    """Whether `trim` would find anything to remove."""
    now = tx.now()
    return any(_finished(stream, now) or any(_aged(tx, stream, now)) for stream in _known(tx))


def trim(tx: Writing, limit: int) -> int:
    """Delete up to `limit` expired records, then streams without records; return the number of deleted records."""
    now = tx.now()
    removed = 0
    for stream in list(_known(tx)):
        keys = list(islice(_aged(tx, stream, now), limit - removed))
        if keys:
            tx.rows.delete_range(RECORDS, keys[0], keys[-1] + b"\x00")
            removed += len(keys)
        elif removed < limit and _finished(stream, now):
            _forget(tx, stream)
    return removed


def _finished(stream: Stream, now: float) -> bool:
    return stream.gone(now - ITERATOR_LIFE)


def _aged(tx: Reading, stream: Stream, now: float) -> Iterator[bytes]:
    """The keys of records that no iterator can reach any more, oldest first."""
    low, high = position(stream.id, 0), position(stream.id + 1, 0)
    if not _finished(stream, now):
        high = position(stream.id, sequence_at(now - RETENTION - ITERATOR_LIFE))
    for key, _ in tx.rows.range(RECORDS, low, high):
        yield key


def _forget(tx: Writing, stream: Stream) -> None:
    table = tx.state.catalog.find(stream.table)
    entries = table.definition.get("Streams", []) if table else []
    left = [entry for entry in entries if entry["Id"] != stream.id]
    if table and len(left) < len(entries):
        tx.state.catalog.save(tx.rows, {**table.definition, "Streams": left})
    else:
        tx.rows.delete(META, _retired_key(stream.arn, stream.id))
