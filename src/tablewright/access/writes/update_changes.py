"""What an update changes besides the fields it names.

Index keys, copies, locks and ciphertexts are made of fields. When one of their fields changes, they change too. What
can be computed from the change alone is written without reading the item (see `plans.update_plan`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tablewright.access.items.decoding import validation_problems
from tablewright.access.items.footprint import carried_names
from tablewright.access.items.value_codec import to_attribute
from tablewright.access.writes.actions import Edit
from tablewright.access.writes.automatic_fields import expiries, on_write
from tablewright.access.writes.targets import Target, field_value
from tablewright.access.writes.values import Update
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Counter, Encrypted, Unique, Version
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.nearest_names import suggestion
from tablewright.errors import InvalidWrite
from tablewright.values.attributes import AttributeValue, Item


@dataclass(frozen=True, slots=True)
class Changes:
    """New values of fields, None to remove one; and amounts to add to others."""

    layout: Layout
    set: Mapping[str, Any]
    add: Mapping[str, Any]

    @property
    def _secret(self) -> frozenset[str]:
        return self.layout.secrets | {self.layout.fields[name].stored for name in self.layout.secrets}

    @property
    def names(self) -> frozenset[str]:
        """The fields that change, including the version."""
        versions = (field.name for field, _ in self.layout.marked(Version))
        return frozenset((*self.set, *self.add, *versions))

    def with_automatic_fields(self, now: datetime, known: Mapping[str, Any]) -> "Changes":
        """Return the changes with the timestamps and expiries that follow; given values stay."""
        stamps = {name: value for name, value in on_write(self.layout, now).items() if name not in self.set}
        values = {**self.set, **stamps}
        following = expiries(self.layout, {**known, **values}, set(values))
        return replace(
            self, set=values | {name: value for name, value in following.items() if name not in self.set}
        )

    def applied(self, entity: Entity) -> Entity:
        """Return the entity with the changes."""
        values = dict(self.set)
        for name, amount in self.add.items():
            before = getattr(entity, name)
            values[name] = (
                amount if before is None else before | amount if _is_set(amount) else before + amount
            )
        for field, _ in self.layout.marked(Version):
            values[field.name] = (getattr(entity, field.name) or 0) + 1
        try:
            return entity.changed(**values)
        except ValidationError as error:
            raise InvalidWrite(
                f"{self.layout.entity.__name__}: {validation_problems(error, self._secret)}"
            ) from None

    def edit(self, stored: Item, keys: Item, gone: Iterable[str]) -> Edit:
        """Return what changes in the main item.

        `stored` has the stored form of the values that are set, `keys` the index keys to set, `gone` those to remove.
        """
        fields = self.layout.fields
        sets = {
            fields[name].stored: stored[fields[name].stored]
            for name in self.set
            if fields[name].stored in stored
        }
        removed = {fields[name].stored for name in self.set} - sets.keys()
        increases = [
            (fields[name].stored, value_when_absent(fields[name], self.layout), to_attribute(amount))
            for name, amount in self.add.items()
            if not _is_set(amount)
        ]
        joins = {
            fields[name].stored: to_attribute(amount) for name, amount in self.add.items() if _is_set(amount)
        }
        versions = tuple(field.stored for field, _ in self.layout.marked(Version))
        return Edit(sets | keys, frozenset((*removed, *gone)), tuple(increases), joins, versions)


def changes_of(write: Update[Any], target: Target[Any]) -> Changes:
    """Return what an update changes. Raise when a field or value is not valid, or only the library may set it."""
    layout = target.layout
    if isinstance(write.remove, str):
        raise InvalidWrite(f"remove takes a list of fields: remove=[{write.remove!r}]")
    removed: dict[str, Any] = dict.fromkeys(write.remove)
    named = [*write.set, *removed, *write.add]
    for name in named:
        _check_name(layout, name, twice=named.count(name) > 1)
    known = target.known()
    values = {name: _value(layout, name, value) for name, value in {**write.set, **removed}.items()}
    for name, value in values.items():
        if name in layout.primary.names and known.get(name, ...) != value:
            raise InvalidWrite(
                f"{layout.entity.__name__}.{name} is part of the primary key, which an update cannot change; use move"
            )
        if layout.fields[name].marker(Counter):
            raise InvalidWrite(f"{layout.entity.__name__}.{name} is a Counter; change it with add")
    changes = Changes(
        layout,
        {name: value for name, value in values.items() if name not in layout.primary.names},
        {name: _amount(layout, name, amount) for name, amount in write.add.items()},
    )
    if not (changes.set or changes.add):
        raise InvalidWrite(f"the update of {layout.entity.__name__} changes nothing")
    return changes


def affected_indexes(layout: Layout, names: frozenset[str]) -> list[KeyLayout]:
    """Return the index keys that are made of these fields, and those that share an attribute with them."""
    derived = {key: _derived(layout, key) for key in layout.indexes}
    found = [key for key in layout.indexes if derived[key] and names & set(key.names)]
    while True:
        shared = set().union(*(derived[key] for key in found))
        more = [key for key in layout.indexes if key not in found and derived[key] & shared]
        if not more:
            return found
        found += more


def derived_attributes(layout: Layout, keys: Iterable[KeyLayout]) -> set[str]:
    """Return the attributes of these keys that are not fields themselves."""
    return set().union(*(_derived(layout, key) for key in keys))


def dependent_sources(layout: Layout) -> Iterator[frozenset[str]]:
    """Return for each copy and each lock the fields it is made of."""
    for copy in layout.copies:
        names = [*carried_names(layout, copy), *copy.primary.names]
        names += [name for index in copy.indexes for name in index.names]
        names += [copy.copy.each] if copy.copy.each else []
        yield frozenset(name for name in names if name in layout.fields)
    expiry = layout.field_stored_as(layout.table.ttl) if layout.table.ttl else None
    for field, unique in layout.marked(Unique):
        yield frozenset((field.name, *unique.sources, *([expiry.name] if expiry else [])))


def encrypted_sources(layout: Layout) -> Iterator[frozenset[str]]:
    """Return for each encrypted field the fields that its ciphertext is made of."""
    for field, encrypted in layout.marked(Encrypted):
        yield frozenset((field.name, *encrypted.context))


def reencrypted_attributes(layout: Layout, names: frozenset[str]) -> set[str]:
    """Return the attributes to encrypt again: those that change, and those bound to a field that changes."""
    marked = layout.marked(Encrypted)
    return {field.stored for field, encrypted in marked if names & {field.name, *encrypted.context}}


def sources(layout: Layout, names: frozenset[str]) -> frozenset[str]:
    """Return all fields that are needed to compute what follows from a change of these fields."""
    indexes = [frozenset(key.names) for key in affected_indexes(layout, names)]
    others = [group for group in (*dependent_sources(layout), *encrypted_sources(layout)) if group & names]
    return frozenset().union(*indexes, *others)


def validated_together(changes: Changes) -> frozenset[str] | None:
    """Return the fields that must be read to validate a change; None when each new value is validated by itself.

    A validator of the class gets all its fields, and a validator of a field may use the fields before it. The limits
    of a field that is added to apply to the sum.
    """
    decorators = changes.layout.entity.__pydantic_decorators__
    validated = {name for each in decorators.field_validators.values() for name in each.info.fields}
    if decorators.model_validators or "*" in validated or validated & changes.names:
        return frozenset(changes.layout.fields)
    return frozenset(name for name in changes.add if changes.layout.fields[name].limited) or None


def value_when_absent(field: FieldLayout, layout: Layout) -> AttributeValue:
    """Return the value of a number that is not stored: its default, or zero when the default is None."""
    default = None if field.optional else layout.entity.model_fields[field.name].default
    return to_attribute(default) if _is_number(default) else {"N": "0"}


def _derived(layout: Layout, key: KeyLayout) -> frozenset[str]:
    standing = layout.permanent_attributes
    return frozenset(attribute for attribute, _ in key.parts if attribute not in standing)


def _check_name(layout: Layout, name: str, *, twice: bool) -> None:
    field = layout.fields.get(name)
    if field is None:
        raise InvalidWrite(f"{layout.entity.__name__} has no field {name}; {suggestion(name, layout.fields)}")
    if twice:
        raise InvalidWrite(
            f"the update of {layout.entity.__name__} names {name} more than once; set, remove or add it once"
        )
    if field.marker(Version):
        raise InvalidWrite(f"{layout.entity.__name__}.{name} is increased by every write; do not change it")


def _value(layout: Layout, name: str, value: Any) -> Any:
    """Validate a value. Removing a field that cannot be None sets its default."""
    info = layout.entity.model_fields[name]
    if value is not None:
        return field_value(layout.entity, name, value)
    if layout.fields[name].optional:
        return None
    if info.is_required():
        raise InvalidWrite(f"{layout.entity.__name__}.{name} is required and cannot be removed")
    return info.get_default(call_default_factory=True)


def _amount(layout: Layout, name: str, amount: Any) -> Any:
    if name in layout.primary.names:
        raise InvalidWrite(f"{layout.entity.__name__}.{name} is part of the primary key; use move")
    if layout.fields[name].is_secret:
        raise InvalidWrite(
            f"{layout.entity.__name__}.{name} is secret and cannot be added to; read it, then set it"
        )
    if not _is_number(amount) and not (_is_set(amount) and amount):
        raise InvalidWrite(f"{layout.entity.__name__}.{name}: add takes a number or a set, not {amount!r}")
    try:
        fitting = TypeAdapter(layout.fields[name].annotation).validate_python(amount)
    except ValidationError as error:
        raise InvalidWrite(f"{layout.entity.__name__}.{name}: {error.errors()[0]['msg']}") from None
    if (_is_number(fitting), _is_set(fitting)) != (_is_number(amount), _is_set(amount)):
        raise InvalidWrite(
            f"{layout.entity.__name__}.{name} is neither a number nor a set; change it with set"
        )
    return fitting


def _is_set(value: Any) -> bool:
    return isinstance(value, set | frozenset)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
