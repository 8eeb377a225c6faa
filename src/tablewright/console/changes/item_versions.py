"""Item versions: where the console finds what items were earlier.

- An embedded database with point-in-time recovery keeps every change, for up to 35 days.
- Any endpoint keeps the changes of a table with a stream for 24 hours; the stream must have the old images.
- AWS does not show the versions that point-in-time recovery keeps: it only restores whole tables to new ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from tablewright.access.streams.consumer_lags import record_time
from tablewright.connections import Embedded
from tablewright.console.changes.stream_tail import StreamTail, TailStart
from tablewright.console.open_designs import OpenDesign
from tablewright.console.service_messages import service_message
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ResourceNotFound, ServiceError, UsageError

STREAM_SECONDS = 24 * 3600
MOST_RECORDS = 20_000
"""Records of a stream that are read for the versions of items, at most."""
MOST_ITEMS = 1000
"""Items of a partition as of a time, at most."""


@dataclass(frozen=True)
class RecoveryState:
    """Point-in-time recovery of a table, as its endpoint describes it."""

    exists: bool = True
    """Whether the table exists."""
    enabled: bool = False
    first: float | None = None
    """The earliest time to which the table can be restored, in seconds since 1970."""
    last: float | None = None
    days: int | None = None
    problem: str | None = None
    """Why the endpoint does not describe it."""


def recovery_of(opened: OpenDesign, name: str) -> RecoveryState:
    """Describe point-in-time recovery of a table."""
    try:
        reply = opened.db.connection.call("DescribeContinuousBackups", {"TableName": name})
    except ServiceError as error:
        if isinstance(error, ResourceNotFound) or error.code == "TableNotFoundException":
            return RecoveryState(exists=False)
        return RecoveryState(
            problem=f"{opened.location} does not describe point-in-time recovery: {service_message(error)}"
        )
    described = reply["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription") or {}
    if described.get("PointInTimeRecoveryStatus") != "ENABLED":
        return RecoveryState()
    first, last = (_seconds(described.get(f"{end}RestorableDateTime")) for end in ("Earliest", "Latest"))
    return RecoveryState(True, True, first, last, described.get("RecoveryPeriodInDays", 35))


class VersionSource(Protocol):
    """Finds the earlier versions of the items of one table."""

    @property
    def name(self) -> str:
        """Return `journal` or `stream`."""

    @property
    def first(self) -> float:
        """Return the earliest time that it covers, in seconds since 1970."""

    def changes(self, key: Item, until: float | None, before: str | None, limit: int) -> dict[str, Any]:
        """Return changes as `Embedded.item_changes` does."""

    def items_at(self, key: Item, times: Sequence[float], start: Item | None) -> dict[str, Any]:
        """Return items as `Embedded.items_at` does."""


def version_source(opened: OpenDesign, name: str, recovery: RecoveryState) -> VersionSource | None:
    """Return the source of versions of a table; None if there is none."""
    connection = opened.db.connection
    if isinstance(connection, Embedded) and recovery.enabled and recovery.first is not None:
        return JournalVersions(connection, name, recovery.first)
    return StreamVersions.of(opened, name) if recovery.exists else None


@dataclass(frozen=True)
class JournalVersions:
    """The versions that an embedded database keeps for point-in-time recovery."""

    connection: Embedded
    table: str
    first: float
    name: str = "journal"

    def changes(self, key: Item, until: float | None, before: str | None, limit: int) -> dict[str, Any]:
        """Return changes, newest first."""
        return self.connection.item_changes(self.table, key, until=until, before=before, limit=limit)

    def items_at(self, key: Item, times: Sequence[float], start: Item | None) -> dict[str, Any]:
        """Return items as of some times."""
        return self.connection.items_at(self.table, key, times, start=start, limit=MOST_ITEMS)


@dataclass(frozen=True)
class StreamVersions:
    """The versions that the stream of a table holds, of the last 24 hours."""

    opened: OpenDesign
    table: Table
    table_name: str
    first: float
    name: str = "stream"

    @classmethod
    def of(cls, opened: OpenDesign, name: str) -> "StreamVersions | None":
        """Return the source; None if the table has no stream with old images."""
        call = opened.db.connection.call
        described = call("DescribeTable", {"TableName": name})["Table"]
        stream = described.get("StreamSpecification") or {}
        if not stream.get("StreamEnabled") or stream.get("StreamViewType") not in (
            "OLD_IMAGE",
            "NEW_AND_OLD_IMAGES",
        ):
            return None
        shown = call("DescribeStream", {"StreamArn": described["LatestStreamArn"]})["StreamDescription"]
        created = _seconds(shown.get("CreationRequestDateTime")) or 0.0
        return cls(opened, opened.table(name), name, max(created, opened.db.context.now() - STREAM_SECONDS))

    def changes(self, key: Item, until: float | None, before: str | None, limit: int) -> dict[str, Any]:
        """Return changes, newest first."""
        versions = [change for change in self._changes(key) if until is None or change["at"] <= until]
        if before is not None:
            versions = versions[
                next(
                    (i + 1 for i, change in enumerate(versions) if change["sequence"] == before),
                    len(versions),
                ) :
            ]
        return {"changes": versions[:limit], "since": self.first, "complete": len(versions) <= limit}

    def items_at(self, key: Item, times: Sequence[float], start: Item | None) -> dict[str, Any]:
        """Return items as of some times: the stored ones, with the later changes undone."""
        now = self.opened.db.context.now()
        for time in times:
            if not self.first <= time <= now:
                raise UsageError(f"the stream of {self.table_name} does not cover the time {time:.3f}")
        states: dict[tuple[str, ...], list[Item | None]] = {}
        for item in self._stored(key):
            states[self._identity(item)] = [item] * len(times)
        for change in self._changes(key):
            state = states.setdefault(self._identity(change["key"]), [None] * len(times))
            for position, time in enumerate(times):
                if change["at"] > time:
                    state[position] = change["before"]
        pairs = [states[identifier] for identifier in sorted(states) if any(states[identifier])]
        return {"items": pairs, "next": None}

    def _changes(self, key: Item) -> list[dict[str, Any]]:
        """The changes of the items with a key, newest first."""
        tail = StreamTail(self.opened.db.connection, self.table_name, TailStart("oldest"), self.first)
        records: list[dict[str, Any]] = []
        count = 0
        while True:
            polled = tail.poll()
            count += len(polled.records)
            if count > MOST_RECORDS:
                raise UsageError(
                    f"the stream of {self.table_name} has more than {MOST_RECORDS:,} records; follow it in the view "
                    "Streams with a filter"
                )
            records += [record for _, record in polled.records if _has_key(record["dynamodb"]["Keys"], key)]
            if polled.is_at_end:
                break
        return self._chained(records[::-1])

    def _chained(self, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The changes of some records, newest first; a stream without new images has them in the next old image."""
        newer: dict[tuple[str, ...], Item | None] = {}
        changes = []
        for record in records:
            change = record["dynamodb"]
            identity = self._identity(change["Keys"])
            if "NewImage" in change or record["eventName"] == "REMOVE":
                after = change.get("NewImage")
            else:
                after = newer[identity] if identity in newer else self._get(change["Keys"])
            before = newer[identity] = change.get("OldImage")
            changes.append(
                {
                    "at": record_time(record),
                    "sequence": change["SequenceNumber"],
                    "key": change["Keys"],
                    "before": before,
                    "after": after,
                }
            )
        return changes

    def _stored(self, key: Item) -> list[Item]:
        names = {f"#{number}": name for number, name in enumerate(key)}
        request = {
            "TableName": self.table_name,
            "KeyConditionExpression": " AND ".join(f"{name} = :{name[1:]}" for name in names),
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {f":{alias[1:]}": key[name] for alias, name in names.items()},
            "ConsistentRead": True,
            "Limit": MOST_ITEMS,
        }
        items: list[Item] = self.opened.db.connection.call("Query", request)["Items"]
        return items

    def _get(self, key: Item) -> Item | None:
        request = {"TableName": self.table_name, "Key": key, "ConsistentRead": True}
        item: Item | None = self.opened.db.connection.call("GetItem", request).get("Item")
        return item

    def _identity(self, item: Item) -> tuple[str, ...]:
        return tuple(str(next(iter(item[name].values()))) for name in self.table.key)


def _has_key(keys: Item, key: Item) -> bool:
    return all(keys.get(name) == value for name, value in key.items())


def _seconds(time: Any) -> float | None:
    """A time of a reply in seconds since 1970; boto3 has it as a datetime."""
    if time is None:
        return None
    return time.timestamp() if isinstance(time, datetime) else float(time)
