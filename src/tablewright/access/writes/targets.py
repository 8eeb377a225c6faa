"""Targets of writes: the class of an entity, and the fields that its primary key is made of."""

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from tablewright.access.given_values import describe_given
from tablewright.access.items.footprint import primary_key
from tablewright.access.items.key_values import key_value
from tablewright.access.items.vault import Vault, lookup_values
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import suggestion
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Version
from tablewright.design.fields.masking import masked_values
from tablewright.design.layouts.layouts import Layout, StoredModel
from tablewright.design.patterns.patterns import Get
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite, KeyValueError

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
                f"{describe_given(target)} is not a target; pass an entity, a Get, or Target(User, {{...}})"
            )


def field_value(entity: type[StoredModel], name: str, value: Any) -> Any:
    """Validate a value for a field as the class does."""
    if entity.layout.field(name) is None:
        raise InvalidWrite(f"{entity.__name__} has no field {name}; {suggestion(name, entity.layout.fields)}")
    try:
        return _adapter(entity, name).validate_python(value)
    except ValidationError as error:
        problems = "; ".join(each["msg"] for each in error.errors(include_input=False, include_url=False))
        if name in entity.layout.secrets:  # the message of a validator may quote the value
            problems = "the value is not valid"
        raise InvalidWrite(f"{entity.__name__}.{name}: {problems}") from None


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
    return Target(target.entity, values, target.version)


def _of_entity(entity: E) -> Target[E]:
    names = _key_names(type(entity))
    return Target(type(entity), {name: getattr(entity, name) for name in names}, _version_of(entity))


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
