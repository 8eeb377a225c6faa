"""The view streams: the live tail of a table's stream, its shards, and its consumers.

    GET  /streams                      the tables, and their streams
    GET  /streams/{table}              the shards of one stream
    GET  /streams/{table}/records      a page of records
    GET  /streams/{table}/tail         records as they arrive, as server-sent events
    GET  /consumers                    how far each consumer is behind

A reply with records has `positions`: pass them as `after`, as JSON, to continue behind these records, together with
`since` of the first reply. A stream keeps records for 24 hours.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from tablewright.access.streams.shard_reader import OpenShard
from tablewright.console.changes.shown_changes import RecordFilter, show_record
from tablewright.console.changes.stream_tail import StreamTail, TailStart
from tablewright.console.command_lines import command_line
from tablewright.console.endpoints import ConsoleRequest, ConsoleRoute, events, get
from tablewright.console.open_designs import OpenDesign
from tablewright.design.tables import Table
from tablewright.errors import ResourceNotFound, UsageError

MAX_SIZE = 1024 * 1024
"""Bytes of the records of one reply, about."""
EVENT_RECORDS = 100
"""The most records of one server-sent event."""
POLLS = 20
"""Pages of records without a match that are read for one reply or event."""


def list_streams(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the streams of all tables; a table without one has the lines that enable it."""
    opened = request.design
    return {"tables": [_describe(opened, name, table) for name, table in opened.tables.items()]}


def describe_stream(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the stream of a table, and its shards, oldest first."""
    opened, name = request.design, request.path["table"]
    table = opened.table(name)
    described = _describe(opened, name, table)
    shards = (
        StreamTail(opened.db.connection, name, TailStart("oldest"), 0.0).shards if described["exists"] else []
    )
    return described | {"shards": [_shard(shard) for shard in shards]}


def list_consumers(request: ConsoleRequest) -> dict[str, Any]:
    """Describe how far each consumer is behind, by its stored position."""
    lags = request.design.db.streams.lags()
    return {
        "consumers": [{name: getattr(lag, name) for name in lag.__slots__} for lag in lags],
        "note": "Only consumers that use db.streams keep their positions here. The lag of a Lambda function is the "
        "metric IteratorAge.",
    }


def list_records(request: ConsoleRequest) -> dict[str, Any]:
    """Return records of a stream, up to `limit`, and where to continue."""
    reader = _Reader(request)
    records = reader.read(request.number("limit", 100))
    return records | {"since": reader.tail.since}


def tail(request: ConsoleRequest) -> Iterator[Any]:
    """Yield records as they arrive: first an event `open`, then events `records`, and None while there are none."""
    reader = _Reader(request)
    yield {"type": "open", "since": reader.tail.since, "shards": len(reader.tail.shards)}
    while True:
        records = reader.read(EVENT_RECORDS)
        yield {"type": "records", **records} if records["read"] or records["has_gap"] else None


class _Reader:
    """Reads the records that a request selects."""

    def __init__(self, request: ConsoleRequest) -> None:
        opened, name = request.design, request.path["table"]
        self._opened = opened
        self._table = opened.table(name)
        self._filter = RecordFilter.of(opened, request.query)
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        self.tail = StreamTail(opened.db.connection, name, _start(request), opened.db.context.now())
        self._positions = dict(self.tail.positions)
        if not self.tail.shards:
            raise UsageError(f"table {name} has no stream; set stream='NEW_AND_OLD_IMAGES' in its design")

    def read(self, limit: int) -> dict[str, Any]:
        """Return the next records, and the positions behind them."""
        records: list[dict[str, Any]] = []
        has_gap = is_at_end = False
        count = size = 0
        for _ in range(POLLS):
            is_at_end = False
            if not self._waiting:
                polled = self.tail.poll()
                self._waiting, is_at_end = polled.records, polled.is_at_end
                has_gap = has_gap or polled.has_gap
            while self._waiting and len(records) < limit and size < MAX_SIZE:
                shard, record = self._waiting.pop(0)
                self._positions[shard] = record["dynamodb"]["SequenceNumber"]
                shown = show_record(self._opened, self._table, shard, record)
                count += 1
                if self._filter.selects(shown):
                    records.append(shown)
                    size += shown["size"]
            if is_at_end or records:
                break
        return {
            "records": records,
            "positions": dict(self._positions),
            "read": count,
            "has_gap": has_gap,
            "at_end": is_at_end and not self._waiting,
        }


def _start(request: ConsoleRequest) -> TailStart:
    start = request.query.get("start", "now")
    if start not in ("now", "oldest"):
        raise UsageError(f"start is now or oldest, got {start!r}")
    after, since = _positions(request.query.get("after", "")), request.time("since")
    return TailStart("now" if start == "now" else "oldest", after, since)


def _positions(text: str) -> dict[str, str]:
    if not text:
        return {}
    try:
        positions = orjson.loads(text)
    except orjson.JSONDecodeError:
        positions = None
    if not isinstance(positions, dict) or not all(
        isinstance(position, str) for position in positions.values()
    ):
        raise UsageError("after must be the positions of an earlier reply, as JSON")
    return positions


def _describe(opened: OpenDesign, name: str, table: Table) -> dict[str, Any]:
    described: dict[str, Any] = {"name": name, "designed": table.stream, "exists": True}
    described["remedy"] = {
        "design": f'Table("{table.name}", ..., stream="NEW_AND_OLD_IMAGES")',
        "command": command_line(opened, "deploy"),
    }
    try:
        description = opened.db.connection.call("DescribeTable", {"TableName": name})["Table"]
    except ResourceNotFound:
        return described | {"exists": False, "enabled": False, "view": None, "arn": None}
    specification = description.get("StreamSpecification") or {}
    enabled = bool(specification.get("StreamEnabled"))
    return described | {
        "enabled": enabled,
        "view": specification.get("StreamViewType") if enabled else None,
        "arn": description.get("LatestStreamArn"),
    }


def _shard(shard: OpenShard) -> dict[str, Any]:
    return {"id": shard.id, "parent": shard.parent, "closed": shard.closed, "stream": shard.stream}


ROUTES: list[ConsoleRoute] = [
    get("/streams", list_streams),
    get("/consumers", list_consumers),
    get("/streams/{table}", describe_stream),
    get("/streams/{table}/records", list_records),
    events("/streams/{table}/tail", tail),
]
