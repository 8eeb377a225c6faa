"""Telling: a stream record becomes a typed event, and listeners hear it.

Where records come from is another matter: `handlers` reads the streams itself, to `lambdas` AWS brings them along.
"""

from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from tablewright.access.calls.backoff import backoff
from tablewright.access.calls.procedures import BlockingTask, Procedure, Reply
from tablewright.access.context import Context
from tablewright.access.items.footprint import is_dependent
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.streams.events import Event, EventName, Expired, Inserted, Listener, Modified, Removed
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.errors import TablewrightError, UsageError
from tablewright.values.attributes import Item

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


class Dispatcher:
    """Tells listeners, each record as often as it takes, up to `tries` times."""

    def __init__(self, context: Context, listeners: Sequence[Listener[Any]], tries: int) -> None:
        if not listeners:
            raise UsageError("nobody listens; give functions that @on(...) made")
        if tries < 1:
            raise UsageError(f"a listener is told at least once, not {tries} times")
        self._context = context
        self._listeners = tuple(listeners)
        self._tries = tries
        self.tables = tuple(dict.fromkeys(listener.entity.layout.table for listener in listeners))
        """The tables that they listen to."""

    def dispatch(self, table: Table, record: dict[str, Any]) -> Procedure[tuple[int, list[Failure]]]:
        """Tell everybody whom a record concerns: how many heard it, and who refused it to the last."""
        heard, failures = 0, []
        for listener in self._listeners:
            layout = listener.entity.layout
            name = _event_name(layout, record) if layout.table is table else None
            if name not in listener.events:
                continue
            error = yield from self._told(listener, name, layout, record)
            if error is None:
                heard += 1
            else:
                place = self._context.table_name(table), record["dynamodb"]["Keys"]
                failures.append(Failure(listener.name, record["eventID"], *place, error))
        return heard, failures

    def _told(
        self, listener: Listener[Any], name: EventName, layout: Layout, record: dict[str, Any]
    ) -> Procedure[Exception | None]:
        """Tell one listener; the error it ended with, if any."""
        try:
            event = yield from compute_with_keys(lambda: self._event(name, layout, record))
        except TablewrightError as refusal:
            return refusal
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


def require_sync(listeners: Iterable[Listener[Any]]) -> None:
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
    if image is None or is_dependent(image):
        return False
    return layout.type_name is None or image.get(layout.table.discriminator) == {"S": layout.type_name}


def _by_service(record: dict[str, Any]) -> bool:
    """Whether DynamoDB itself did it; boto3 and Lambda spell the members differently."""
    who = {name.lower(): value for name, value in (record.get("userIdentity") or {}).items()}
    return who.get("type") == "Service" and who.get("principalid") == _SERVICE


def _moment(told: Any) -> datetime:
    return told if isinstance(told, datetime) else datetime.fromtimestamp(told, UTC)
