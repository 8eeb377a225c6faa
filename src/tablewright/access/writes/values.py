"""Writes as values, to execute alone or many together in one transaction.

    db.transact(
        Create(application),
        Add(RoleById(role_id="r1"), applicant_count=1),
        Check(RoleById(role_id="r1"), StartupRole.is_open == True),
    )

The target of a write is an entity, a `Get` with its parameters, or `Target(User, {"user_id": "u1"})`: a class, and the
fields that its primary key is made of. When it is an entity with a version, the write fails if the entity was written
since it was read.

`otherwise` is the caller's own exception for a write whose precondition fails: `Create(user, otherwise=EmailTaken)`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from functools import cache
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from tablewright.access.items.footprint import primary_key, undeclared_index_keys
from tablewright.access.items.item_values import key_value
from tablewright.access.items.vault import Vault, lookup_values
from tablewright.access.otherwise import Otherwise
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import suggestion
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.fields.field_changes import AddTo, Change
from tablewright.design.fields.markers import Version
from tablewright.design.fields.masking import masked_values
from tablewright.design.fields.revalidation import InvalidModel, rebuilt
from tablewright.design.layouts.layouts import Layout, StoredForms, StoredModel
from tablewright.design.patterns import Get
from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite, KeyValueError, UnknownItem

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class Target(Generic[E]):
    """One entity of a class, whether it exists or not.

    `target_of` makes it from an entity or from a `Get` with its parameters; or write
    `Target(User, {"user_id": "u1"})`.
    """

    entity: type[E]
    values: Mapping[str, Any]
    """The fields that its primary key is made of; a `Get` with its own key templates has other names for them."""
    version: int | None = None
    """The version that the entity was read with."""
    pattern: Get[E] | None = field(default=None, repr=False)
    stale_keys: frozenset[str] = field(default=frozenset(), repr=False)
    """The index keys that the entity was read with and that its class does not declare; a write removes them."""
    forms: StoredForms = field(default_factory=dict, repr=False, compare=False)
    """The values that the entity was read with and that are stored in another form than ours."""

    @property
    def layout(self) -> Layout:
        """The layout of the class."""
        return self.entity.layout

    def key(self, vault: Vault) -> Item:
        """Return the primary key of the item."""
        try:
            return self._key(vault)
        except KeyValueError as error:
            raise KeyValueError(f"{self.entity.__name__}: {error}") from None

    def _key(self, vault: Vault) -> Item:
        if self.pattern is not None:
            clauses = self.pattern.__plan__.clauses
            values = lookup_values(vault, self.layout, self.values)
            return {
                clause.attribute: key_value(self.layout.table, clause.attribute, clause.templates[0], values)
                for clause in clauses
            }
        return primary_key(self.layout, lookup_values(vault, self.layout, self.values))

    @property
    def shown(self) -> Mapping[str, Any]:
        """The values for messages; secret values are masked."""
        return masked_values(self.layout.secrets, self.values)

    def __repr__(self) -> str:
        return f"Target({self.entity.__name__}, {self.shown!r})"

    def known(self) -> dict[str, Any]:
        """Return the fields whose values are known."""
        return {} if self.pattern is not None else dict(self.values)


TargetLike: TypeAlias = Target[E] | Get[E] | E
"""What a write takes as its target; `target_of` converts it."""


def target_of(target: TargetLike[E]) -> Target[E]:
    """Return the target that an entity, or a `Get` with its parameters, names."""
    match target:
        case Target():
            return _checked(target)
        case Get():
            return _of_get(target)
        case Entity():
            return _of_entity(target)
        case _:
            raise InvalidWrite(
                f"{describe_argument(target)} is not a target; pass an entity, a Get, or Target(User, {{...}})"
            )


def field_value(entity: type[StoredModel], name: str, value: Any) -> Any:
    """Validate a value for a field as the class does."""
    if entity.layout.field(name) is None:
        raise InvalidWrite(f"{entity.__name__} has no field {name}; {suggestion(name, entity.layout.fields)}")
    try:
        # A nested model may be given as a map under its names in Python, as `model_dump` returns it.
        return _adapter(entity, name).validate_python(rebuilt(value), by_alias=True, by_name=True)
    except ValidationError as error:
        problems = problems_of(error)
    except InvalidModel as error:
        problems = error.problems
    if name in entity.layout.secrets:  # the message of a validator may quote the value
        raise InvalidWrite(f"{entity.__name__}.{name} is not valid")
    raise InvalidWrite(describe_problems(problems, f"{entity.__name__}.{name}"))


@cache
def _adapter(entity: type[StoredModel], name: str) -> TypeAdapter[Any]:
    if name in entity.layout.computed:
        return TypeAdapter(entity.layout.computed[name].annotation)
    info = entity.model_fields[name]
    annotation: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    return TypeAdapter(annotation)


def _checked(target: Target[E]) -> Target[E]:
    if target.pattern is not None:
        return target
    names = target.layout.primary.names
    missing = [name for name in names if target.values.get(name) is None]
    surplus = [name for name in target.values if name not in names]
    if missing or surplus:
        raise InvalidWrite(
            f"the key of {target.entity.__name__} is made of {', '.join(names)}; "
            + (f"{', '.join(missing)} is missing" if missing else f"{', '.join(surplus)} is not part of it")
        )
    values = {name: field_value(target.entity, name, value) for name, value in target.values.items()}
    return Target(target.entity, values, target.version, stale_keys=target.stale_keys)


def _of_entity(entity: E) -> Target[E]:
    names = _key_names(type(entity))
    unknown = entity.unknown_attributes
    stale = undeclared_index_keys(type(entity)).intersection(unknown) if unknown else frozenset()
    values = {name: getattr(entity, name) for name in names}
    return Target(type(entity), values, _version_of(entity), stale_keys=stale, forms=entity.stored_forms)


def _version_of(entity: Entity) -> int | None:
    """The version that an entity was read with; None for a copy that lacks the version, which holds a default."""
    marked = entity.layout.marked(Version)
    if not marked:
        return None
    name = marked[0][0].name
    if entity.is_partial and name not in entity.model_fields_set:
        return None
    version: int = getattr(entity, name)
    return version


@cache
def _key_names(entity: type[Entity]) -> tuple[str, ...]:
    return entity.layout.primary.names


def _of_get(pattern: Get[E]) -> Target[E]:
    layouts = pattern.__plan__.layouts
    if len(layouts) != 1:
        raise InvalidWrite(f"{type(pattern).__name__} can return several classes; a write needs one")
    if pattern.__plan__.lock is not None:
        raise InvalidWrite(
            f"{type(pattern).__name__} reads {layouts[0].entity.__name__} by a lock; read the entity, and write that"
        )
    values = {name: getattr(pattern, name) for name in type(pattern).model_fields}
    entity: type[E] = layouts[0].entity  # type: ignore[assignment]
    return Target(entity, values, None, None if _is_own_key(pattern) else pattern)


def _is_own_key(pattern: Get[Any]) -> bool:
    """Whether the key templates of a pattern are those of the entity."""
    own = dict(pattern.__plan__.layouts[0].primary.parts)
    return all(own.get(clause.attribute) == clause.templates[0] for clause in pattern.__plan__.clauses)


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
        values = (target, changes, set or {}, remove, add or {}, when, version, otherwise)
        _initialise(self, Update.__match_args__, values)

    def __repr__(self) -> str:
        match self.target:
            case Get():
                secrets = frozenset[str]().union(*(layout.secrets for layout in self.target.__plan__.layouts))
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
        values = (entity, changes, set or {}, remove, add or {}, when, otherwise)
        _initialise(self, Upsert.__match_args__, values)

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


@dataclass(slots=True)
class DeletionReport:
    """What was deleted so far. The same object is passed to `on_progress` and returned."""

    existed: bool = False
    """Whether the entity itself was stored; False if an earlier call has deleted it."""
    deleted: Counter[str] = field(default_factory=Counter)
    """The number of deleted entities of each class, the entity itself included."""
    unreadable: list[UnknownItem] = field(default_factory=list)
    """Items that could not be read as entities of their class, and were deleted by their keys; the first 100."""
    unreadable_count: int = 0
    left: list[UnknownItem] = field(default_factory=list)
    """Items that are stored among those of an owner and belong to no class of the design; they stay. The first 100."""
    undeleted: list[str] = field(default_factory=list)
    """Items that could not be deleted, with the reasons; their owners stay too."""


def _initialise(write: Update[Any] | Upsert[Any], names: tuple[str, ...], values: tuple[Any, ...]) -> None:
    """Set the fields of a frozen write."""
    for name, value in zip(names, values, strict=True):
        object.__setattr__(write, name, value)


def _shown(change: Any) -> str:
    return change.shown if isinstance(change, Change) else describe_argument(change)


def _text(write: Update[Any] | Upsert[Any], secrets: frozenset[str]) -> str:
    """A write as text; secret values are masked."""
    shown = {member.name: getattr(write, member.name) for member in fields(write) if member.repr}
    for name in ("set", "add"):
        shown[name] = masked_values(secrets, getattr(write, name))
    first = [repr(shown.pop(next(iter(shown)))), *map(_masked, shown.pop("changes"))]
    named = (f"{name}={part!r}" for name, part in shown.items() if part is not None and part not in ({}, ()))
    return f"{type(write).__name__}({', '.join((*first, *named))})"


def _masked(change: Any) -> str:
    """A change as text; what is no change may be a secret."""
    return repr(change) if isinstance(change, Change) else f"<{type(change).__name__}>"
