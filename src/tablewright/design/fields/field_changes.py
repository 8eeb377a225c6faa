"""Changes in Python: `User.name.set("Ada")`, `User.history.append("paid")`, `User.addresses["home"].remove()`.

Pure data. `access` turns changes into DynamoDB's update expressions, and `entity.changed(...)` applies them in Python.
`attributes` inherits the methods that make them.
"""

import builtins
from collections.abc import Iterable
from dataclasses import field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar, Generic, TypeVar, overload

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.conditions import FieldPath
from tablewright.design.fields.masking import MASK

T = TypeVar("T")
E = TypeVar("E")


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """A change of one field, nested field, map entry or list element."""

    method: ClassVar[str] = ""
    """The method of an attribute that makes it."""

    path: FieldPath
    source: str = field(compare=False)
    """The place as it is written in Python: `User.address.city`."""

    @property
    def values(self) -> tuple[Any, ...]:
        """What was given to the method."""
        return ()

    @property
    def shown(self) -> str:
        """The change without its values, for messages."""
        return f"{self.source}.{self.method}({'...' if self.values else ''})"

    def __repr__(self) -> str:
        values = (MASK if self.path.secret and value is not None else value for value in self.values)
        return f"{self.source}.{self.method}({', '.join(map(repr, values))})"


@dataclass(frozen=True, slots=True, repr=False)
class _OneValue(Change):
    value: Any

    @property
    def values(self) -> tuple[Any, ...]:
        """The value."""
        return (self.value,)


@dataclass(frozen=True, slots=True, repr=False)
class _SeveralValues(Change):
    members: tuple[Any, ...]

    @property
    def values(self) -> tuple[Any, ...]:
        """The values."""
        return self.members


class SetTo(_OneValue):
    """Set the value; None removes it."""

    __slots__ = ()
    method = "set"


class SetIfAbsent(_OneValue):
    """Set the value if nothing is stored there."""

    __slots__ = ()
    method = "set_if_absent"


class Remove(Change):
    """Remove the value."""

    __slots__ = ()
    method = "remove"


class AddTo(_SeveralValues):
    """Add to a number, or members to a set; the type of the field decides."""

    __slots__ = ()
    method = "add"


class Discard(_SeveralValues):
    """Remove members from a set."""

    __slots__ = ()
    method = "discard"


class Append(_SeveralValues):
    """Add elements at the end of a list."""

    __slots__ = ()
    method = "append"


class Prepend(_SeveralValues):
    """Add elements at the beginning of a list."""

    __slots__ = ()
    method = "prepend"


class RaiseTo(_OneValue):
    """Set the value unless the stored value is greater."""

    __slots__ = ()
    method = "raise_to"


class LowerTo(_OneValue):
    """Set the value unless the stored value is less."""

    __slots__ = ()
    method = "lower_to"


class Changeable(Generic[T]):
    """The methods of an attribute that make changes; typed by the type of the field."""

    __slots__ = ()
    _path: FieldPath

    def set(self, value: T | None) -> Change:
        """Set the value; None removes it: `User.name.set("Ada")`."""
        return SetTo(self._path, repr(self), value)

    def set_if_absent(self, value: T) -> Change:
        """Set the value if nothing is stored there: `User.joined_at.set_if_absent(now)`."""
        return SetIfAbsent(self._path, repr(self), value)

    def remove(self) -> Change:
        """Remove the field, the map entry or the list element: `User.addresses["home"].remove()`."""
        return Remove(self._path, repr(self))

    @overload
    def add(self: "Changeable[int]", amount: int, /) -> Change: ...
    @overload
    def add(self: "Changeable[float]", amount: float, /) -> Change: ...
    @overload
    def add(self: "Changeable[Decimal]", amount: Decimal | int, /) -> Change: ...
    @overload
    def add(self: "Changeable[builtins.set[E]]", *members: E) -> Change: ...
    @overload
    def add(self: "Changeable[frozenset[E]]", *members: E) -> Change: ...
    def add(self, *members: Any) -> Change:
        """Add to a number, or members to a set: `User.visits.add(1)`, `User.tags.add("new", "vip")`.

        Concurrent writers do not overwrite each other's additions. An absent number counts as its default, or 0.
        """
        return AddTo(self._path, repr(self), _members(members))

    @overload
    def discard(self: "Changeable[builtins.set[E]]", *members: E) -> Change: ...
    @overload
    def discard(self: "Changeable[frozenset[E]]", *members: E) -> Change: ...
    def discard(self, *members: Any) -> Change:
        """Remove members from a set: `User.tags.discard("new")`. Members that the set does not have are ignored."""
        return Discard(self._path, repr(self), _members(members))

    def append(self: "Changeable[list[E]]", *elements: E) -> Change:
        """Add elements at the end of a list: `User.history.append("paid")`. An absent list counts as empty."""
        return Append(self._path, repr(self), elements)

    def prepend(self: "Changeable[list[E]]", *elements: E) -> Change:
        """Add elements at the beginning of a list, in the given order: `User.recent.prepend("home", "cart")`."""
        return Prepend(self._path, repr(self), elements)

    @overload
    def raise_to(self: "Changeable[int]", value: int) -> Change: ...
    @overload
    def raise_to(self: "Changeable[float]", value: float) -> Change: ...
    @overload
    def raise_to(self: "Changeable[Decimal]", value: Decimal | int) -> Change: ...
    @overload
    def raise_to(self: "Changeable[str]", value: str) -> Change: ...
    @overload
    def raise_to(self: "Changeable[datetime]", value: datetime) -> Change: ...
    @overload
    def raise_to(self: "Changeable[date]", value: date) -> Change: ...
    def raise_to(self, value: Any) -> Change:
        """Set the value unless the stored value is greater: `Game.best.raise_to(120)`. An absent value is set."""
        return RaiseTo(self._path, repr(self), value)

    @overload
    def lower_to(self: "Changeable[int]", value: int) -> Change: ...
    @overload
    def lower_to(self: "Changeable[float]", value: float) -> Change: ...
    @overload
    def lower_to(self: "Changeable[Decimal]", value: Decimal | int) -> Change: ...
    @overload
    def lower_to(self: "Changeable[str]", value: str) -> Change: ...
    @overload
    def lower_to(self: "Changeable[datetime]", value: datetime) -> Change: ...
    @overload
    def lower_to(self: "Changeable[date]", value: date) -> Change: ...
    def lower_to(self, value: Any) -> Change:
        """Set the value unless the stored value is less: `Item.price.lower_to(9)`. An absent value is set."""
        return LowerTo(self._path, repr(self), value)


def _members(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The members of a set that were given one by one, or as one set."""
    if len(arguments) == 1 and isinstance(arguments[0], set | frozenset):
        members: Iterable[Any] = arguments[0]
        return tuple(members)
    return arguments
