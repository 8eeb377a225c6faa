"""Layouts: how an entity is stored in its table, computed once when its class is defined.

Pure data. `access` writes keys by it, `checks` reason about it, documentation prints it. The layout of a class is
built by `entities.layout_builder`.

Upcasts: functions that convert items of an older schema version to the current one.

    def budget_as_number(item: dict[str, Any]) -> dict[str, Any]:
        return item | {"monthlyBudget": Decimal(item["monthlyBudget"])}

    class Profile(Entity, table=profiles, schema_version=2, upcasts={1: budget_as_number}):
        ...

Each takes the attributes of one version, as plain values under their stored names, and returns those of the next
version. Upcasts are applied whenever an item is read; writes always use the newest version. An item without a schema
version is of version 1.

Known attributes: every attribute that an item may have according to the design.

Reserved attributes: what the library writes into items besides fields and keys. The discriminator
(`Table.discriminator`), which holds the type of an item, is reserved too where a class has a type.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field as dataclass_field
from datetime import datetime
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn, Self, TypeAlias, dataclass_transform

from pydantic import Field, PrivateAttr
from pydantic._internal._model_construction import ModelMetaclass  # pydantic has no public name for it
from pydantic.fields import FieldInfo

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import ArgumentModel, suggestion
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.applied_changes import (
    NoParent,
    changed_fields,
    holds_value,
    placed_changes,
)
from tablewright.design.fields.entity_attributes import Attribute
from tablewright.design.fields.field_changes import Change
from tablewright.design.fields.markers import Encrypted, Hashed
from tablewright.design.fields.rates import Expect
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Sparse
from tablewright.design.keys.templates import Template
from tablewright.design.keys.timestamps import timestamp_text
from tablewright.design.layouts.partial_entities import partial_entity
from tablewright.design.problems import Problem
from tablewright.design.tables import Table
from tablewright.errors import DesignError, FieldNotRead, InvalidWrite

SCHEMA_VERSION = "schemaVersion"
"""The schema version of the class that wrote the item."""

OWNER = "_of"
"""In a copy or a lock: the primary key of the entity's main item, as a map."""

KEPT = "_kept"
"""In a copy: the fields that are also key attributes of an index the copy must not be in, as a map."""

LOCK = "_lock"
"""The type of a lock of a unique value, and the prefix of its key, unless the design chooses both."""


Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


def check_upcasts(entity: str, schema_version: int | None, upcasts: Mapping[int, Upcast]) -> None:
    """Reject upcasts without a schema version, and upcasts from a version outside 1 to the current one."""
    if upcasts and schema_version is None:
        raise DesignError(
            f"{entity} has upcasts, but no schema version; add schema_version={max(upcasts) + 1}"
        )
    for version in upcasts:
        if not 1 <= version < (schema_version or 0):
            raise DesignError(
                f"{entity} has schema_version={schema_version} and an upcast from version {version}; "
                "an upcast starts from version 1 or later, and from a version older than the class"
            )


# Stored where pydantic stores private attributes, so that copies and pickles include them. A declared `PrivateAttr`
# would do the same, but costs every new entity as much as validating three fields.
_UNKNOWN = "_unknown"
_PARTIAL = "_partial"
_FORMS = "_forms"


class OtherForm(NamedTuple):
    """A value that another program stored in another form, as an attribute value."""

    stored: Mapping[str, Any]
    ours: Mapping[str, Any]
    """As we store the same value."""


StoredForms: TypeAlias = Mapping[str, OtherForm]
"""By attribute."""

ALL_WRITES = frozenset(("create", "update", "delete"))
"""The writes that an entity allows, unless its class says otherwise."""


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """One field: its name in Python, its name in the item, its type, and its markers."""

    name: str
    stored: str
    annotation: Any
    """Its Python type, without `None`."""
    optional: bool
    markers: tuple[Any, ...] = ()
    automatic: str | None = None
    """"created" or "touched" when the library sets the value."""
    limited: bool = False
    """Whether it accepts only some values of its type."""
    may_be_negative: bool = False
    """Whether its limits (`ge`, `gt`, `lt`, `le`) show that negative numbers are meant; without limits, False."""
    computed_from: frozenset[str] | None = None
    """For a computed field, the fields that its value may depend on; None for a stored field."""

    @property
    def is_computed(self) -> bool:
        """Whether it is a computed field: it can be part of keys, and is not stored itself."""
        return self.computed_from is not None

    @property
    def is_secret(self) -> bool:
        """Whether its value is never stored or shown as plain text."""
        return self.marker(Encrypted) is not None or self.marker(Hashed) is not None

    def time_value(self, time: datetime) -> Any:
        """A time in the type of the field: epoch seconds for an int, text for a str, otherwise the datetime."""
        if self.annotation is int:
            return int(time.timestamp())
        return timestamp_text(time) if self.annotation is str else time

    def marker(self, kind: type) -> Any:
        """The marker of that kind, or None."""
        return next((marker for marker in self.markers if isinstance(marker, kind)), None)


@dataclass(frozen=True, slots=True)
class KeyLayout:
    """One key of an entity: an attribute name and a template for each key attribute."""

    index: Index | None
    """None is the primary key."""
    parts: tuple[tuple[str, Template], ...]
    sparse: Sparse | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The fields in the templates and in the condition of a sparse index, each once."""
        fields = [name for _, template in self.parts for name in template.names]
        return tuple(dict.fromkeys([*fields, *(self.sparse.names if self.sparse else ())]))

    @property
    def shape(self) -> tuple[str, ...]:
        """Its templates without the names of their fields."""
        return tuple(
            "".join(part if isinstance(part, str) else "{}" for part in template.parts)
            for _, template in self.parts
        )


@dataclass(frozen=True, slots=True)
class CopyLayout:
    """A copy of the entity: its declaration and its own keys."""

    name: str
    copy: Copy
    primary: KeyLayout
    indexes: tuple[KeyLayout, ...]

    @property
    def keys(self) -> tuple[KeyLayout, ...]:
        """All its keys, the primary key first."""
        return (self.primary, *self.indexes)


@dataclass(frozen=True, slots=True)
class LockLayout:
    """The lock of a unique field under a key that the design chooses: `Unique(key=...)`."""

    field: FieldLayout
    key: KeyLayout
    type_name: str | None
    attributes: tuple[tuple[str, Template], ...]
    """The other attributes, with the template of each."""
    owner: Mapping[str, str]
    """The attributes that identify the owner, each with its field of the owner's primary key."""

    def matches(self, table: Table, item: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether an item is such a lock, by its type and key."""
        typed = item.get(table.discriminator, {}).get("S")
        if self.type_name is not None and typed != self.type_name:
            return False
        return all(
            table.type_of(attribute) != "S" or template.parse(item[attribute].get("S", "")) is not None
            for attribute, template in self.key.parts
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """How one entity is stored in its table."""

    entity: type["StoredModel"]
    table: Table
    type_name: str | None
    """The value of the discriminator attribute in its items."""
    fields: Mapping[str, FieldLayout]
    primary: KeyLayout
    indexes: tuple[KeyLayout, ...]
    copies: tuple[CopyLayout, ...]
    schema_version: int | None
    expect: Expect
    problems: tuple[Problem, ...]
    """What cannot work. Always empty unless the table is declared literally."""
    secrets: frozenset[str]
    """The names of the fields that are never stored or shown as plain text."""
    upcasts: Mapping[int, Upcast] = dataclass_field(default_factory=dict)
    """Functions that convert items of older schema versions, by the version each starts from."""
    locks: tuple[LockLayout, ...] = ()
    """The locks of unique fields whose keys the design chooses; other locks have keys of the library's own."""
    computed: Mapping[str, FieldLayout] = dataclass_field(default_factory=dict)
    """The computed fields that keys, copies or locks are made of."""
    writes: frozenset[str] = ALL_WRITES
    """The writes that the entity allows: create, update, delete."""
    _marked: dict[type, list[tuple[FieldLayout, Any]]] = dataclass_field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def permanent_attributes(self) -> frozenset[str]:
        """The attributes that its item has in every index or none: fields, primary key and type."""
        typed = () if self.type_name is None else (self.table.discriminator,)
        return frozenset((*(field.stored for field in self.fields.values()), *self.table.key, *typed))

    def field(self, name: str) -> FieldLayout | None:
        """The stored or computed field of that name, or None."""
        return self.fields.get(name) or self.computed.get(name)

    def with_computed(self, names: Collection[str]) -> frozenset[str]:
        """These fields, and the computed fields that may change with them."""
        if not self.computed:
            return frozenset(names)
        changed = set(names)
        following = (
            name for name, field in self.computed.items() if not changed.isdisjoint(field.computed_from or ())
        )
        return frozenset((*names, *following))

    def stored_sources(self, names: Collection[str]) -> frozenset[str]:
        """The stored fields among these, and those that the computed ones among these may depend on."""
        stored = frozenset(name for name in names if name in self.fields)
        return stored.union(
            *(self.computed[name].computed_from or () for name in names if name in self.computed)
        )

    def lock_of(self, name: str) -> LockLayout | None:
        """The lock of a unique field, if the design chooses its key; otherwise None."""
        return next((lock for lock in self.locks if lock.field.name == name), None)

    def field_stored_as(self, attribute: str) -> FieldLayout | None:
        """The field that is stored under an attribute name, or None."""
        return next((field for field in self.fields.values() if field.stored == attribute), None)

    def marked(self, kind: type) -> list[tuple[FieldLayout, Any]]:
        """The fields that carry a marker of that kind, with the marker."""
        known = self._marked.get(kind)
        if known is None:
            markers = ((field, field.marker(kind)) for field in self.fields.values())
            known = self._marked[kind] = [(field, marker) for field, marker in markers if marker is not None]
        return known

    def key_for(self, index: Index | None) -> KeyLayout | None:
        """The primary key (None) or the key in an index; None when the entity is not in that index."""
        if index is None:
            return self.primary
        return next((key for key in self.indexes if key.index is index), None)


def field_hint(layouts: Iterable[Layout], name: str, otherwise: str = "it has") -> str:
    """What to do about a name that is no stored field of these entities, for messages."""
    all_layouts = tuple(layouts)
    if any(name in layout.entity.model_computed_fields for layout in all_layouts):
        return f"{name} is computed, and stored only in keys; use the fields that it is computed from"
    return suggestion(name, [field for layout in all_layouts for field in layout.fields], otherwise)


class _NoLayout:
    """The layout of an abstract base: reading it raises `DesignError`."""

    def __get__(self, _: object, owner: type) -> NoReturn:
        raise abstract_error(owner)


def abstract_error(base: type) -> DesignError:
    """Return the error for an abstract base that is used like an entity."""
    name = base.__name__
    return DesignError(
        f"{name} has no table: it is an abstract base, of which no items are stored; use a class that derives from "
        f"it with a table, or give it a table: class {name}(Entity, table=...)"
    )


def is_abstract(entity: type["StoredModel"]) -> bool:
    """Whether a class is an abstract base: an entity without a table."""
    return "layout" not in entity.__dict__ or entity.__dict__["layout"] is StoredModel.__dict__["layout"]


def is_secret_field(info: FieldInfo) -> bool:
    """Whether a field is secret, by its declaration."""
    return has_marker(info, Encrypted | Hashed)


def has_marker(info: FieldInfo, kind: type | UnionType) -> bool:
    """Whether the declaration of a field has a marker."""
    metadata = (*info.metadata, *plain_type(info.annotation)[1])
    return any(isinstance(marker, kind) for marker in metadata)


@dataclass_transform(kw_only_default=True, field_specifiers=(Field, PrivateAttr))
class EntityType(ModelMetaclass):
    """Makes `User.status` an `Attribute`, so that `User.status == "ACTIVE"` is a condition.

    Type checkers see the constructor that the fields describe, and `User.status` with the type of the field.
    """

    if not TYPE_CHECKING:  # a type checker would accept every misspelt name

        def __getattr__(cls, name: str) -> Any:
            model_fields = cls.__dict__.get("__pydantic_fields__", {})
            if name in model_fields:
                layout = cls.__dict__.get("layout")
                secret = is_secret_field(model_fields[name]) if layout is None else name in layout.secrets
                return Attribute(name, owner=cls, secret=secret)
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("_") or not model_fields:
                    raise
            hint = suggestion(name, model_fields)
            raise AttributeError(f"{cls.__name__} has no field {name}; {hint}", name=name, obj=cls)


class StoredModel(ArgumentModel, metaclass=EntityType):
    """A Pydantic model with a layout: the base class of `Entity`, which builds the layout.

    It is declared here so that a layout can refer to its class without importing `entities`.
    """

    __argument_kind__ = "field"

    layout: ClassVar["Layout"] = _NoLayout()  # type: ignore[assignment]  # a descriptor that only raises
    """How its items are stored; computed when the class is defined."""

    suppress: ClassVar[Mapping[str, str]] = {}
    """Findings that are known and accepted: `{"TW401": "the reason"}`."""

    @property
    def unknown_attributes(self) -> dict[str, Any]:
        """Attributes of the item that the class does not declare; writing the entity keeps them."""
        unknown: dict[str, Any] = (self.__pydantic_private__ or {}).get(_UNKNOWN, {})
        return unknown

    @unknown_attributes.setter
    def unknown_attributes(self, attributes: Mapping[str, Any]) -> None:
        if attributes or self.unknown_attributes:
            self._remember(_UNKNOWN, dict(attributes))

    @property
    def stored_forms(self) -> "StoredForms":
        """The values that it was read with and that another program stored in another form, by attribute."""
        forms: StoredForms = (self.__pydantic_private__ or {}).get(_FORMS, {})
        return forms

    def remember_forms(self, forms: "StoredForms") -> None:
        """Record the stored forms that differ from ours; conditions on the entity compare them."""
        self._remember(_FORMS, forms)

    def __eq__(self, other: Any) -> bool:
        """Whether both are of one class and have equal values, in whatever form these were stored."""
        if isinstance(other, StoredModel) and (self.stored_forms or other.stored_forms):
            return self._without_forms() == other._without_forms()
        return super().__eq__(other)

    def _without_forms(self) -> Self:
        """The entity, or a copy of it that remembers no stored forms."""
        if not self.stored_forms:
            return self
        copy = self.model_copy()
        private = {name: value for name, value in (copy.__pydantic_private__ or {}).items() if name != _FORMS}
        object.__setattr__(copy, "__pydantic_private__", private or None)
        return copy

    @property
    def is_partial(self) -> bool:
        """Whether it was read from a copy or a search that lacks some fields: it can be updated, but not put."""
        return _PARTIAL in (self.__pydantic_private__ or ())

    def mark_partial(self, absent: Collection[str] = (), *, searched: bool = False) -> None:
        """Record that it was read from a copy or a search without these fields; to read one of them is now an error."""
        for name in absent:
            self.__dict__.pop(name, None)
        self.model_fields_set.difference_update(absent)
        self._remember(_PARTIAL, "search" if searched else "copy")

    if not TYPE_CHECKING:  # a type checker would accept every misspelt name

        def __getattr__(self, name: str) -> Any:
            """Called for attributes that do not exist."""
            if name in type(self).__pydantic_fields__ and self.is_partial:
                searched = self.__pydantic_private__[_PARTIAL] == "search"
                raise FieldNotRead(type(self).__name__, name, searched=searched)
            return super().__getattr__(name)

    def _remember(self, name: str, value: Any) -> None:
        object.__setattr__(self, "__pydantic_private__", {**(self.__pydantic_private__ or {}), name: value})

    def changed(self, *changes: Change, **values: Any) -> Self:
        """A copy with other values, validated. Fields that were not set before still count as not set.

        Changes are applied as an update would apply them: `user.changed(User.history.append("paid"), name="Ada")`.
        """
        known = type(self).model_fields
        unknown = next((name for name in values if name not in known), None)
        if unknown is not None:
            raise InvalidWrite(f"{type(self).__name__} has no field {unknown}; {suggestion(unknown, known)}")
        if changes:
            values = self._values_of(changes, values)
        data = {name: self.__dict__[name] for name in known if name in self.__dict__} | values
        if self.is_partial:
            copy = partial_entity(type(self), frozenset(known.keys() - data.keys()), data, by_name=True)
            copy._remember(_PARTIAL, (self.__pydantic_private__ or {})[_PARTIAL])
        else:
            copy = type(self).model_validate(data, by_name=True, by_alias=False)
        copy.model_fields_set.intersection_update(self.model_fields_set | values.keys())
        copy.unknown_attributes = self.unknown_attributes
        if self.stored_forms:
            copy.remember_forms(self.stored_forms)
        return copy

    if not TYPE_CHECKING:  # type checkers derive the parameters from the fields

        def __replace__(self, /, **values: Any) -> Self:
            """`copy.replace(user, name="Ada")` of Python 3.13; that of pydantic would not validate the values."""
            return self.changed(**values)

    def _values_of(self, changes: Sequence[Change], values: Mapping[str, Any]) -> dict[str, Any]:
        """The values that changes and named values lead to."""
        placed = placed_changes(type(self), changes)
        twice = next((change for change in placed if change.name in values), None)
        if twice is not None:
            raise InvalidWrite(f"{twice.change.shown} and {twice.name}=... overlap; make it one change")
        try:
            return {**values, **changed_fields(self.__dict__, placed, holds_value)}
        except NoParent as absent:
            raise InvalidWrite(
                f"{absent.parent} is None, so {absent.change.shown} cannot be applied; "
                f"set it first: {absent.parent}.set(...)"
            ) from None


def known_attributes(layouts: Iterable[Layout]) -> tuple[str, ...]:
    """Return the attributes that the main items of some entities may have, each once, in the order of the entities.

    They are the fields, the keys of the table and its indexes, the expiry, the type and the schema version.
    """
    attributes: dict[str, None] = {}
    for layout in layouts:
        table = layout.table
        attributes |= dict.fromkeys(field.stored for field in layout.fields.values())
        attributes |= dict.fromkeys((*table.key_attributes, table.discriminator, SCHEMA_VERSION))
        attributes |= {} if table.ttl is None else {table.ttl: None}
    return tuple(attributes)
