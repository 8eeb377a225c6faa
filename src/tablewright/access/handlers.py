"""Handlers: tell listeners what happened to entities, from the streams of their tables.

- At least once: a position moves on only behind records that were handled. After a crash the last batch is told again.
- In order: the records of one item are told in the order in which they happened.
- A listener that raises is told again, with growing pauses. What it refuses to the last is noted in the position table,
  reported, and passed by, so that one bad record does not stop the world.
- Copies, locks and other types are not told: they are the library's own, or somebody else's.
- Who listens for the first time is told what the stream still holds, up to 24 hours.

The same on the embedded engine and on AWS. All of it is conversation.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from typing import TYPE_CHECKING, Any

from tablewright.access.backoff import backoff
from tablewright.access.contexts import Context
from tablewright.access.conversations import Call, Conversation, Errand, Pause, Reply
from tablewright.access.creation import create_missing
from tablewright.access.events import Event, EventName, Expired, Inserted, Listener, Modified, Removed
from tablewright.access.footprints import is_satellite
from tablewright.access.positions import Position, Positions, position_table
from tablewright.access.retries import ask
from tablewright.access.shards import Shard, iterator_at, shards_of
from tablewright.access.vaults import unlocked
from tablewright.connections import Embedded
from tablewright.design.designs import Design
from tablewright.design.layouts import Layout
from tablewright.design.tables import Table
from tablewright.errors import (
    ExpiredIterator,
    ResourceNotFound,
    TablewrightError,
    TrimmedDataAccess,
    UsageError,
)
from tablewright.values.attributes import Item

if TYPE_CHECKING:
    from tablewright.access.repository import Repository

_SERVICE = "dynamodb.amazonaws.com"
"""Who deletes what has expired."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that a listener could not be told, or refused to the last."""

    listener: str
    id: str
    table: str
    key: Item
    error: Exception


@dataclass(slots=True)
class Report:
    """What one round did."""

    told: int = 0
    """Events that listeners heard without complaint."""
    failures: list[Failure] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    """Shards where records were older than 24 hours, and gone, before they could be told."""


class Handlers:
    """The listeners of one consumer. Consumers of different names each hear everything."""

    def __init__(
        self,
        design: Design,
        context: Context,
        listeners: Sequence[Listener[Any]],
        *,
        consumer: str = "default",
        tries: int = 3,
        create: bool = False,
    ) -> None:
        if not listeners:
            raise UsageError("nobody listens; give functions that @on(...) made")
        if tries < 1:
            raise UsageError(f"a listener is told at least once, not {tries} times")
        self._context = context
        self._listeners = tuple(listeners)
        self._tries = tries
        self._create = create
        self._position_table = position_table(design)
        self._positions = Positions(context.table_name(self._position_table), consumer)
        self._iterators: dict[tuple[str, Position], str] = {}
        """Where to read on in shards that had no more; AWS answers with empty pages on the way to later records."""
        self._report = Report()

    def round(self) -> Conversation[Report]:
        """Tell everything that is in the streams by now."""
        self._report = Report()
        positions = yield from self._loaded()
        for table in dict.fromkeys(listener.entity.layout.table for listener in self._listeners):
            name = self._context.table_name(table)
            shards = {shard.place: shard for shard in (yield from shards_of(name))}
            for shard in shards.values():
                yield from self._read(table, shard, shards, positions)
            for place, position in positions.items():
                if position.table == name and place not in shards:
                    yield from self._positions.forget(place)
        return self._report

    def follow(
        self, stop: Callable[[], bool], report: Callable[[Report], Any], pause: float = 1.0
    ) -> Conversation[None]:
        """Round after round, until told to stop; each that did something is reported."""
        while not stop():
            done = yield from self.round()
            if done.told or done.failures or done.gaps:
                report(done)
            else:
                yield Pause(pause)

    def _loaded(self) -> Conversation[dict[str, Position]]:
        try:
            return (yield from self._positions.load())
        except ResourceNotFound:
            if not self._create:
                raise UsageError(
                    f"there is no table {self._positions.table} to keep positions in; say create=True to make it"
                ) from None
        yield from create_missing([self._position_table], self._context)
        return {}

    def _read(
        self, table: Table, shard: Shard, shards: Mapping[str, Shard], positions: dict[str, Position]
    ) -> Conversation[None]:
        """Read a shard to where it ends by now; a child waits until its parent was read to the end."""
        start = Position(self._context.table_name(table))
        position = positions.get(shard.place, start)
        parent = shard.parent_place
        waits = parent in shards and not (parent in positions and positions[parent].done)
        if position.done or waits:
            return
        iterator = self._iterators.pop((shard.place, position), None)
        while True:
            if iterator is None:
                iterator, gap = yield from iterator_at(shard, position)
                self._report.gaps += [shard.place] if gap else []
            try:
                reply = yield from ask(Call("GetRecords", {"ShardIterator": iterator}))
            except (ExpiredIterator, TrimmedDataAccess):
                iterator = None
                continue
            records, iterator = reply["Records"], reply.get("NextShardIterator")
            for record in records:
                yield from self._tell(table, record)
            if records or iterator is None:
                after = records[-1]["dynamodb"]["SequenceNumber"] if records else position.after
                moved = Position(start.table, after, iterator is None)
                if not (yield from self._positions.move(shard.place, position, moved)):
                    return  # another process of this consumer is ahead; the next round starts from there
                position = positions[shard.place] = moved
            if iterator is None:
                return
            if not records and not shard.closed:
                self._iterators[shard.place, position] = iterator
                return

    def _tell(self, table: Table, record: dict[str, Any]) -> Conversation[None]:
        for listener in self._listeners:
            layout = listener.entity.layout
            name = _event_name(layout, record) if layout.table is table else None
            if name not in listener.events:
                continue
            error = yield from self._told(listener, name, layout, record)
            if error is None:
                self._report.told += 1
            else:
                yield from self._give_up(listener, table, record, error)

    def _told(
        self, listener: Listener[Any], name: EventName, layout: Layout, record: dict[str, Any]
    ) -> Conversation[Exception | None]:
        """Tell one listener; the error it ended with, if any."""
        try:
            event = yield from unlocked(lambda: self._event(name, layout, record))
        except TablewrightError as refusal:
            return refusal
        error: Exception | None = None
        for attempt in range(self._tries):
            if attempt:
                yield backoff(attempt)
            reply = yield Errand(partial(_attempt, listener, event))
            error = reply.get("error")
            if error is None:
                return None
        return error

    def _event(self, name: EventName, layout: Layout, record: dict[str, Any]) -> Event[Any]:
        make = self._context.decoder(layout).make
        told = record["dynamodb"]
        identity, at = record["eventID"], _moment(told["ApproximateCreationDateTime"])
        match name:
            case "inserted":
                return Inserted(identity, at, make(told["NewImage"]))
            case "modified":
                return Modified(identity, at, make(told["OldImage"]), make(told["NewImage"]))
            case "removed":
                return Removed(identity, at, make(told["OldImage"]))
            case "expired":
                return Expired(identity, at, make(told["OldImage"]))

    def _give_up(
        self, listener: Listener[Any], table: Table, record: dict[str, Any], error: Exception
    ) -> Conversation[None]:
        name, key, identity = self._context.table_name(table), record["dynamodb"]["Keys"], record["eventID"]
        yield from self._positions.keep_failed(identity, listener.name, name, key, type(error).__name__)
        self._report.failures.append(Failure(listener.name, identity, name, key, error))


def handlers_of(
    repository: "Repository",
    listeners: Sequence[Listener[Any]],
    consumer: str,
    tries: int,
    create: bool | None,
) -> Handlers:
    """The listeners of one consumer of a repository; an embedded one makes its table of positions by itself."""
    create = isinstance(repository.connection, Embedded) if create is None else create
    return Handlers(
        repository.design, repository.context, listeners, consumer=consumer, tries=tries, create=create
    )


def no_report(report: Report) -> None:
    """Whoever does not want to know."""


def require_plain(listeners: Iterable[Listener[Any]]) -> None:
    """Refuse async functions where nobody would await them."""
    for listener in listeners:
        if iscoroutinefunction(listener.function):
            raise UsageError(f"{listener.name} is async; listen with db.aio")


def _attempt(listener: Listener[Any], event: Event[Any]) -> Reply | Coroutine[Any, Any, Reply]:
    try:
        begun = listener(event)
    except Exception as error:
        return {"error": error}
    return _ended(begun) if isawaitable(begun) else {}


async def _ended(begun: Any) -> Reply:
    try:
        await begun
    except Exception as error:
        return {"error": error}
    return {}


def _event_name(layout: Layout, record: dict[str, Any]) -> EventName | None:
    """What a record says of entities of one class; an item that changes its type is removed here, inserted there."""
    told = record["dynamodb"]
    old, new = told.get("OldImage"), told.get("NewImage")
    if record["eventName"] == "MODIFY":
        had, has = (_is_of(layout, image or new or old) for image in (old, new))
    else:
        had, has = _is_of(layout, old), _is_of(layout, new)
    if had and has:
        return "modified"
    if had:
        return "expired" if _by_service(record) else "removed"
    return "inserted" if has else None


def _is_of(layout: Layout, image: Item | None) -> bool:
    if image is None or is_satellite(image):
        return False
    return layout.type_name is None or image.get(layout.table.discriminator) == {"S": layout.type_name}


def _by_service(record: dict[str, Any]) -> bool:
    """Whether DynamoDB itself did it; boto3 and Lambda spell the members differently."""
    who = {name.lower(): value for name, value in (record.get("userIdentity") or {}).items()}
    return who.get("type") == "Service" and who.get("principalid") == _SERVICE


def _moment(told: Any) -> datetime:
    return told if isinstance(told, datetime) else datetime.fromtimestamp(told, UTC)
