"""Events: changes of entities, from the streams of their tables; and the listeners that handle them.

    @on(Goal, "inserted")
    def announce(event: Inserted[Goal]) -> None:
        mail(event.new.owner, f"{event.new.title} was set")

Delivery is at least once: the same event may arrive again, with the same `event.id`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar, overload

from tablewright.design.entities.entities import Entity
from tablewright.errors import DesignError

E = TypeVar("E", bound=Entity)
Named = TypeVar("Named", bound="Event[Any]")

EventName = Literal["inserted", "modified", "removed", "expired"]

_IMAGES: dict[EventName, tuple[str, ...]] = {
    "inserted": ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"),
    "modified": ("NEW_AND_OLD_IMAGES",),
    "removed": ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"),
    "expired": ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"),
}
"""The stream view types that contain the images of each event."""


@dataclass(frozen=True, slots=True)
class Inserted(Generic[E]):
    """An entity was created."""

    id: str
    at: datetime
    new: E


@dataclass(frozen=True, slots=True)
class Modified(Generic[E]):
    """An entity was changed."""

    id: str
    at: datetime
    old: E
    new: E


@dataclass(frozen=True, slots=True)
class Removed(Generic[E]):
    """An entity was deleted by a client."""

    id: str
    at: datetime
    old: E


@dataclass(frozen=True, slots=True)
class Expired(Generic[E]):
    """An entity was deleted because it expired."""

    id: str
    at: datetime
    old: E


Event: TypeAlias = Inserted[E] | Modified[E] | Removed[E] | Expired[E]


@dataclass(frozen=True, slots=True)
class Listener(Generic[Named]):
    """A function that handles some events of an entity; `@on(...)` makes one."""

    entity: type[Entity]
    events: tuple[EventName, ...]
    function: Callable[[Named], Any]

    def __call__(self, event: Named) -> Any:
        """Call the function."""
        return self.function(event)

    @property
    def name(self) -> str:
        """The name of the function in reports."""
        return getattr(self.function, "__qualname__", repr(self.function))


@overload
def on(
    entity: type[E], event: Literal["inserted"], /
) -> Callable[[Callable[[Inserted[E]], Any]], Listener[Inserted[E]]]: ...
@overload
def on(
    entity: type[E], event: Literal["modified"], /
) -> Callable[[Callable[[Modified[E]], Any]], Listener[Modified[E]]]: ...
@overload
def on(
    entity: type[E], event: Literal["removed"], /
) -> Callable[[Callable[[Removed[E]], Any]], Listener[Removed[E]]]: ...
@overload
def on(
    entity: type[E], event: Literal["expired"], /
) -> Callable[[Callable[[Expired[E]], Any]], Listener[Expired[E]]]: ...
@overload
def on(
    entity: type[E], /, *events: EventName
) -> Callable[[Callable[[Event[E]], Any]], Listener[Event[E]]]: ...
def on(entity: type[Entity], /, *events: EventName) -> Callable[[Callable[[Any], Any]], Listener[Any]]:
    """Make a listener of a function, which may be async for `db.aio`. Without event names it handles all events."""
    handled: tuple[EventName, ...] = events or tuple(_IMAGES)
    for event in handled:
        _check(entity, event)
    return lambda function: Listener(entity, handled, function)


def _check(entity: type[Entity], event: EventName) -> None:
    table = entity.layout.table
    if event not in _IMAGES:
        raise DesignError(f'"{event}" is not an event; use one of {", ".join(_IMAGES)}')
    if table.stream not in _IMAGES[event]:
        raise DesignError(
            f'on({entity.__name__}, "{event}") cannot be delivered: table {table.name} has stream={table.stream!r}; '
            f"set stream={_IMAGES[event][-1]!r} on the table"
        )
