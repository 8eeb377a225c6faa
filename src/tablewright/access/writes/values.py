"""Writes as values, to execute alone or many together in one transaction.

    db.transact(
        Create(application),
        Add(RoleById(role_id="r1"), applicant_count=1),
        Check(RoleById(role_id="r1"), StartupRole.is_open == True),
    )

The target of a write is an entity, a `Get` with its parameters, or `Target(User, {"user_id": "u1"})`. When it
is an entity with a version, the write fails if the entity was written since it was read.

`otherwise` is the caller's own exception for a write whose precondition fails: `Create(user, otherwise=EmailTaken)`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from typing import Any, Generic, TypeAlias, TypeVar

from tablewright.access.given_values import describe_given
from tablewright.access.otherwise import Otherwise
from tablewright.access.writes.targets import TargetLike
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.field_changes import AddTo, Change
from tablewright.design.fields.masking import masked_values
from tablewright.design.patterns.patterns import Get
from tablewright.errors import InvalidWrite

E = TypeVar("E", bound=Entity)

R = TypeVar("R", covariant=True)


class WriteOf(Generic[R]):
    """A write; in a transaction its result is an `R`."""

    __slots__ = ()


When: TypeAlias = Condition | bool | None
"""`User.status == "ACTIVE"` is a `Condition`; a type checker sees the comparison of two strings as a bool."""


@dataclass(frozen=True, slots=True)
class Create(WriteOf[E], Generic[E]):
    """Write an entity that must not exist yet, and claim its unique values."""

    entity: E
    otherwise: Otherwise | None = field(default=None, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Put(WriteOf[E], Generic[E]):
    """Write an entity, whether it exists or not. Counters of one that exists keep their counts."""

    entity: E
    otherwise: Otherwise | None = field(default=None, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Update(WriteOf[E | None], Generic[E]):
    """Change some fields of an entity that exists: `Update(user, User.name.set("Ada"), User.visits.add(1))`.

    A type checker sees `User.name` as text: for typed changes write `fields.of(User.name).set("Ada")`. As mappings,
    `set` sets fields (None removes them), `remove` removes fields, `add` adds to numbers and sets. `when` must hold for
    the stored entity, and `version` must be its version.
    """

    target: TargetLike[E]
    changes: tuple[Change, ...]
    set: Mapping[str, Any]
    remove: Iterable[str]
    add: Mapping[str, Any]
    when: When
    version: int | None
    otherwise: Otherwise | None = field(repr=False)

    def __init__(
        self,
        target: TargetLike[E],
        *changes: Change,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - DynamoDB's own word
        remove: Iterable[str] = (),
        add: Mapping[str, Any] | None = None,
        when: When = None,
        version: int | None = None,
        otherwise: Otherwise | None = None,
    ) -> None:
        given = (target, changes, set or {}, remove, add or {}, when, version, otherwise)
        _initialise(self, Update.__match_args__, given)

    def __repr__(self) -> str:
        match self.target:
            case Get():
                secrets = frozenset[str]().union(*(each.secrets for each in self.target.__plan__.layouts))
            case _:
                secrets = self.target.layout.secrets
        return _text(self, secrets)


class Add(Update[E], Generic[E]):
    """Add to numbers and sets of an entity that exists: `Add(role, seats=1)` or `Add(role, Role.seats.add(1))`."""

    # `otherwise` is Any: type checkers would reject Add(role, **{name: 1}) because of another type.
    def __init__(
        self, target: TargetLike[E], /, *changes: Change, otherwise: Any = None, **amounts: Any
    ) -> None:
        for change in changes:
            if not isinstance(change, AddTo):
                raise InvalidWrite(
                    f"Add takes changes by add(...), not {_shown(change)}; use Update for others"
                )
        super().__init__(target, *changes, add=amounts, otherwise=otherwise)


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Upsert(WriteOf[E | None], Generic[E]):
    """Create an entity if it does not exist; otherwise apply an update to the stored one.

    The changes, `set`, `remove`, `add` and `when` are those of `Update`. Without them, the update sets the fields that
    the entity was given; counters, automatic fields and fields that were not given keep their stored values. The
    version of the stored entity is increased, and not compared.
    """

    entity: E
    changes: tuple[Change, ...]
    set: Mapping[str, Any]
    remove: Iterable[str]
    add: Mapping[str, Any]
    when: When
    otherwise: Otherwise | None = field(repr=False)

    def __init__(
        self,
        entity: E,
        *changes: Change,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - DynamoDB's own word
        remove: Iterable[str] = (),
        add: Mapping[str, Any] | None = None,
        when: When = None,
        otherwise: Otherwise | None = None,
    ) -> None:
        given = (entity, changes, set or {}, remove, add or {}, when, otherwise)
        _initialise(self, Upsert.__match_args__, given)

    def __repr__(self) -> str:
        return _text(self, self.entity.layout.secrets)


@dataclass(frozen=True, slots=True)
class Delete(WriteOf[None], Generic[E]):
    """Delete an entity with its copies and locks. With `when`, `version` or `otherwise` it must exist."""

    target: TargetLike[E]
    when: When = None
    version: int | None = None
    otherwise: Otherwise | None = field(default=None, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Move(WriteOf[E], Generic[E]):
    """Give new values to fields of the primary key: write under the new key, delete under the old."""

    target: TargetLike[E]
    to: Mapping[str, Any]
    when: When = None
    version: int | None = None
    otherwise: Otherwise | None = field(default=None, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Check(WriteOf[None], Generic[E]):
    """Write nothing; the transaction fails unless the entity exists and the condition holds."""

    target: TargetLike[E]
    when: When = None
    version: int | None = None
    otherwise: Otherwise | None = field(default=None, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class CheckAbsent(WriteOf[None], Generic[E]):
    """Write nothing; the transaction fails if the entity exists: `CheckAbsent(Membership(user_id="u1"))`."""

    target: TargetLike[E]
    otherwise: Otherwise | None = field(default=None, kw_only=True, repr=False)


Write: TypeAlias = (
    Create[Any]
    | Put[Any]
    | Update[Any]
    | Upsert[Any]
    | Delete[Any]
    | Move[Any]
    | Check[Any]
    | CheckAbsent[Any]
)


def _initialise(write: Update[Any] | Upsert[Any], names: tuple[str, ...], values: tuple[Any, ...]) -> None:
    """Set the fields of a frozen write."""
    for name, value in zip(names, values, strict=True):
        object.__setattr__(write, name, value)


def _shown(change: Any) -> str:
    return change.shown if isinstance(change, Change) else describe_given(change)


def _text(write: Update[Any] | Upsert[Any], secrets: frozenset[str]) -> str:
    """A write as text; secret values are masked."""
    shown = {each.name: getattr(write, each.name) for each in fields(write) if each.repr}
    for name in ("set", "add"):
        shown[name] = masked_values(secrets, getattr(write, name))
    first = [repr(shown.pop(next(iter(shown)))), *map(_masked, shown.pop("changes"))]
    named = (f"{name}={part!r}" for name, part in shown.items() if part is not None and part not in ({}, ()))
    return f"{type(write).__name__}({', '.join((*first, *named))})"


def _masked(change: Any) -> str:
    """A change as text; what is no change may be a secret."""
    return repr(change) if isinstance(change, Change) else f"<{type(change).__name__}>"
