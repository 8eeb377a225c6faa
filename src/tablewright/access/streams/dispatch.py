"""Dispatch: a stream record becomes a typed event, which is delivered to listeners.

The records come from `handlers`, which reads the streams, or from AWS Lambda, through `stream_consumers`.
"""

from collections.abc import Coroutine, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from tablewright.access.context import Context
from tablewright.access.items.footprint import is_dependent
from tablewright.access.items.unique_locks import lock_in
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.procedures import BlockingTask, Procedure, Reply, backoff
from tablewright.access.streams.events import Event, EventName, Expired, Inserted, Listener, Modified, Removed
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TablewrightError, UsageError

_SERVICE = "dynamodb.amazonaws.com"
"""The principal that deletes expired items."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that could not be decoded, or for which a listener raised at every attempt."""

    listener: str
    id: str
    table: str
    key: Item
    error: Exception


class Dispatcher:
    """Delivers records to listeners; calls a listener that raises up to `tries` times."""

    def __init__(self, context: Context, listeners: Sequence[Listener[Any]], tries: int) -> None:
        if not listeners:
            raise UsageError("there are no listeners; pass functions that @on(...) decorates")
        for listener in listeners:
            if not isinstance(listener, Listener):
                raise UsageError(
                    f"{describe_argument(listener)} is not a listener; decorate the function: "
                    '@events.on(User, "inserted", "modified")'
                )
        if tries < 1:
            raise UsageError(f"tries must be at least 1, got {tries}")
        self._context = context
        self._listeners = tuple(listeners)
        self._tries = tries
        self.tables = tuple(dict.fromkeys(listener.entity.layout.table for listener in listeners))
        """The tables of the listeners' entities."""

    def dispatch(self, table: Table, record: dict[str, Any]) -> Procedure[tuple[int, list[Failure]]]:
        """Deliver a record to the listeners of its event; return the number of deliveries, and the failures."""
        delivered, failures = 0, []
        for listener in self._listeners:
            layout = listener.entity.layout
            name = _event_name(layout, record) if layout.table is table else None
            if name not in listener.events:
                continue
            error = yield from self._deliver(listener, name, layout, record)
            if error is None:
                delivered += 1
            else:
                place = self._context.table_name(table), record["dynamodb"]["Keys"]
                failures.append(Failure(listener.name, record["eventID"], *place, error))
        return delivered, failures

    def _deliver(
        self, listener: Listener[Any], name: EventName, layout: Layout, record: dict[str, Any]
    ) -> Procedure[Exception | None]:
        """Deliver a record to one listener; return the last error, or None."""
        try:
            event = yield from compute_with_keys(lambda: self._event(name, layout, record))
        except TablewrightError as undecodable:
            return undecodable
        error: Exception | None = None
        for attempt in range(self._tries):
            if attempt:
                yield backoff(attempt)
            reply = yield BlockingTask(partial(_attempt, listener, event))
            error = reply.get("error")
            if error is None:
                return None
        return error

    def _event(self, name: EventName, layout: Layout, record: dict[str, Any]) -> Event[Any]:
        make = self._context.decoder(layout).make
        images = record["dynamodb"]
        identity, at = record["eventID"], _time(images["ApproximateCreationDateTime"])
        match name:
            case "inserted":
                return Inserted(identity, at, make(images["NewImage"]))
            case "modified":
                return Modified(identity, at, make(images["OldImage"]), make(images["NewImage"]))
            case "removed":
                return Removed(identity, at, make(images["OldImage"]))
            case "expired":
                return Expired(identity, at, make(images["OldImage"]))


def require_sync(listeners: Iterable[Listener[Any]]) -> None:
    """Raise `UsageError` for async listeners, which a sync repository cannot await."""
    for listener in listeners:
        if isinstance(listener, Listener) and iscoroutinefunction(listener.function):
            raise UsageError(f"{listener.name} is async; use db.aio.streams")


def _attempt(listener: Listener[Any], event: Event[Any]) -> Reply | Coroutine[Any, Any, Reply]:
    try:
        result = listener(event)
    except Exception as error:
        return {"error": error}
    return _awaited(result) if isawaitable(result) else {}


async def _awaited(result: Any) -> Reply:
    try:
        await result
    except Exception as error:
        return {"error": error}
    return {}


def _event_name(layout: Layout, record: dict[str, Any]) -> EventName | None:
    """Return the event of a record for one entity class; a change of type removes one entity and inserts another."""
    images = record["dynamodb"]
    old, new = images.get("OldImage"), images.get("NewImage")
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
    if image is None or is_dependent(image) or lock_in((layout,), image):
        return False
    return layout.type_name is None or image.get(layout.table.discriminator) == {"S": layout.type_name}


def _by_service(record: dict[str, Any]) -> bool:
    """Whether DynamoDB deleted an expired item; boto3 and Lambda write the member names differently."""
    identity = {name.lower(): value for name, value in (record.get("userIdentity") or {}).items()}
    return identity.get("type") == "Service" and identity.get("principalid") == _SERVICE


def _time(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromtimestamp(value, UTC)
