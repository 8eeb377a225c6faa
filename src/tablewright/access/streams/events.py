# mypy: disable-error-code="overload-overlap"
"""Events: changes of entities, from the streams of their tables; and the listeners that handle them.

    @on(Goal, "inserted")
    def announce(event: Inserted[Goal]) -> None:
        mail(event.new.owner, f"{event.new.title} was set")

Delivery is at least once: the same event may arrive again, with the same `event.id`.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, overload

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.errors import DesignError

E = TypeVar("E", bound=Entity)
E_co = TypeVar(
    "E_co", bound=Entity, covariant=True
)  # a listener for events of any entity takes those of a user
Named = TypeVar("Named", bound="Event[Any]")
Named_contra = TypeVar("Named_contra", bound="Event[Any]", contravariant=True)

EventName = Literal["inserted", "modified", "removed", "expired"]

_IMAGES: dict[EventName, tuple[str, ...]] = {
    "inserted": ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"),
    "modified": ("NEW_AND_OLD_IMAGES",),
    "removed": ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"),
    "expired": ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"),
}
"""The stream view types that contain the images of each event."""


@dataclass(frozen=True, slots=True)
class Inserted(Generic[E_co]):
    """An entity was created."""

    id: str
    at: datetime
    new: E_co


@dataclass(frozen=True, slots=True)
class Modified(Generic[E_co]):
    """An entity was changed."""

    id: str
    at: datetime
    old: E_co
    new: E_co


@dataclass(frozen=True, slots=True)
class Removed(Generic[E_co]):
    """An entity was deleted by a client."""

    id: str
    at: datetime
    old: E_co


@dataclass(frozen=True, slots=True)
class Expired(Generic[E_co]):
    """An entity was deleted because it expired."""

    id: str
    at: datetime
    old: E_co


Event: TypeAlias = Inserted[E] | Modified[E] | Removed[E] | Expired[E]


@dataclass(frozen=True, slots=True)
class Listener(Generic[Named_contra]):
    """A function that handles some events of an entity; `@on(...)` makes one."""

    entity: type[Entity]
    events: tuple[EventName, ...]
    function: Callable[[Named_contra], Any]

    def __call__(self, event: Named_contra) -> Any:
        """Call the function."""
        return self.function(event)

    @property
    def name(self) -> str:
        """The name of the function in reports."""
        return getattr(self.function, "__qualname__", repr(self.function))


class Registration(Protocol[Named]):
    """Makes a listener of a function that accepts at least these events."""

    def __call__(self, function: Callable[[Named], Any], /) -> Listener[Named]:
        """Return the listener."""


# A listener must accept each event that it is registered for: one overload for each set of names, smaller sets first.
# The overloads overlap for mypy, because names may repeat; the first match is the smallest set.
@overload
def on(entity: type[E], /) -> Registration[Event[E]]: ...
@overload
def on(entity: type[E], /, *events: Literal["inserted"]) -> Registration[Inserted[E]]: ...
@overload
def on(entity: type[E], /, *events: Literal["modified"]) -> Registration[Modified[E]]: ...
@overload
def on(entity: type[E], /, *events: Literal["removed"]) -> Registration[Removed[E]]: ...
@overload
def on(entity: type[E], /, *events: Literal["expired"]) -> Registration[Expired[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["inserted", "modified"]
) -> Registration[Inserted[E] | Modified[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["inserted", "removed"]
) -> Registration[Inserted[E] | Removed[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["inserted", "expired"]
) -> Registration[Inserted[E] | Expired[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["modified", "removed"]
) -> Registration[Modified[E] | Removed[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["modified", "expired"]
) -> Registration[Modified[E] | Expired[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["removed", "expired"]
) -> Registration[Removed[E] | Expired[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["inserted", "modified", "removed"]
) -> Registration[Inserted[E] | Modified[E] | Removed[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["inserted", "modified", "expired"]
) -> Registration[Inserted[E] | Modified[E] | Expired[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["inserted", "removed", "expired"]
) -> Registration[Inserted[E] | Removed[E] | Expired[E]]: ...
@overload
def on(
    entity: type[E], /, *events: Literal["modified", "removed", "expired"]
) -> Registration[Modified[E] | Removed[E] | Expired[E]]: ...
@overload
def on(entity: type[E], /, *events: EventName) -> Registration[Event[E]]: ...
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
