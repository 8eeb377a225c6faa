"""The changes of an update, validated: values to set, amounts to add, and changes inside of fields.

`automatic_fields` has what else changes with them, `update_plan` how they are written.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from tablewright.access.items.item_values import to_attribute
from tablewright.access.writes.actions import ItemEdit
from tablewright.access.writes.automatic_fields import (
    DerivedChanges,
    derived_changes,
    expiries,
    on_write,
)
from tablewright.access.writes.number_bounds import declared_bounds, value_when_absent
from tablewright.access.writes.path_edits import path_edit, value_at
from tablewright.access.writes.values import Target, Update, field_value
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.applied_changes import (
    PlacedChange,
    added,
    changed_fields,
    holds_value,
    placed_changes,
    resolved,
    type_adapter,
)
from tablewright.design.fields.conditions import FieldPath
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.fields.field_changes import (
    AddTo,
    Append,
    Discard,
    LowerTo,
    Prepend,
    RaiseTo,
    Remove,
    SetIfAbsent,
    SetTo,
)
from tablewright.design.fields.markers import Counter, Hashed, Ttl, Version
from tablewright.design.layouts.layouts import Layout, field_hint
from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import InvalidWrite


@dataclass(frozen=True, slots=True)
class Changes:
    """New values of fields, None to remove one; amounts to add to others; and changes of other kinds."""

    layout: Layout
    set: Mapping[str, Any]
    add: Mapping[str, Any]
    inside: tuple[PlacedChange, ...] = ()
    """Changes inside of fields, and changes that depend on the stored value."""
    accumulates: bool = False
    """Whether `set` has values that were computed by adding to the values that were read."""

    @property
    def _secret(self) -> frozenset[str]:
        return self.layout.secrets | {self.layout.fields[name].stored for name in self.layout.secrets}

    @property
    def requested_names(self) -> frozenset[str]:
        """The fields that the caller changes."""
        return frozenset((*self.set, *self.add, *(change.name for change in self.inside)))

    @property
    def names(self) -> frozenset[str]:
        """The fields that change, including the version."""
        return self.requested_names.union(field.name for field, _ in self.layout.marked(Version))

    @property
    def derived(self) -> DerivedChanges:
        """What else changes with these fields."""
        return derived_changes(self.layout.entity, self.names)

    def with_automatic_fields(self, now: datetime, known: Mapping[str, Any]) -> "Changes":
        """Return the changes with the timestamps and expiries that follow; given values stay."""
        requested = self.requested_names
        stamps = {name: value for name, value in on_write(self.layout, now).items() if name not in requested}
        values = {**self.set, **stamps}
        following = expiries(self.layout, {**known, **values}, set(values))
        return replace(
            self, set=values | {name: value for name, value in following.items() if name not in requested}
        )

    def computed(self, entity: Entity, stored: Item, names: frozenset[str]) -> "Changes":
        """Return the changes with new values of some fields, computed from the entity as it was read.

        `stored` is its item, decrypted and in the current version. A change inside of a map or list is written at its
        own path where possible: attributes around it that no model declares stay as they are.
        """
        added = {name: amount for name, amount in self.add.items() if name in names}
        inside = [change for change in self.inside if change.name in names]
        if not (added or inside):
            return self
        is_stored = _is_stored_in(stored)
        values = self._sums(entity, added) | changed_fields(entity.__dict__, inside, is_stored)
        whole = {change.name for change in inside if not self._has_own_path(change, stored)}
        by_path = [
            change if _joins_stored_list(change, stored) else resolved(entity.__dict__, change, is_stored)
            for change in inside
            if change.name not in whole
        ]
        written = {name: value for name, value in values.items() if name in whole or name in added}
        return replace(
            self,
            set={**self.set, **written},
            add={name: amount for name, amount in self.add.items() if name not in names},
            inside=(*(change for change in self.inside if change.name not in names), *by_path),
            accumulates=any(not _is_set(amount) for amount in added.values())
            or any(map(_accumulates, inside)),
        )

    def _has_own_path(self, change: PlacedChange, stored: Item) -> bool:
        """Whether the result of a change can be written at its path: nothing around it is encrypted or validated."""
        place = change.place
        if not place.is_nested or place.path.secret or place.is_validated_with_parents:
            return False
        return _has_parent(stored, change) and not _is_validated(self.layout, frozenset({change.name}))

    def without_parent(self, stored: Item) -> frozenset[str]:
        """Return the fields whose changes DynamoDB cannot apply: the map or list around the value is not stored."""
        return frozenset(change.name for change in self.inside if not _has_parent(stored, change))

    def of_other_types(self, stored: Item) -> frozenset[str]:
        """Return the fields that DynamoDB cannot add to, because another program stored them in another type."""
        added = ((self.layout.fields[name].stored, name, amount) for name, amount in self.add.items())
        other = {name for attribute, name, amount in added if not _can_join(stored.get(attribute), amount)}
        joined = (
            change for change in self.inside if isinstance(change.change, AddTo | Append | Prepend | Discard)
        )
        other |= {
            change.name
            for change in joined
            if not _can_join(value_at(stored, change.place.stored), change.value)
        }
        return frozenset(other)

    def applied(self, entity: Entity, stored: Item | None = None) -> Entity:
        """Return the entity with the changes. `stored` is its item, decrypted and in the current version."""
        is_stored = holds_value if stored is None else _is_stored_in(stored)
        values = {**self.set, **self._sums(entity, self.add)}
        values |= changed_fields(entity.__dict__, self.inside, is_stored)
        for field, _ in self.layout.marked(Version):
            values[field.name] = (getattr(entity, field.name) or 0) + 1
        try:
            return entity.changed(**values)
        except ValidationError as error:
            name = self.layout.entity.__name__
            raise InvalidWrite(describe_problems(problems_of(error), name, secrets=self._secret)) from None

    def _sums(self, entity: Entity, amounts: Mapping[str, Any]) -> dict[str, Any]:
        return {name: added(getattr(entity, name), amount) for name, amount in amounts.items()}

    def edit(self, stored: Item, keys: Item, gone: Iterable[str]) -> ItemEdit:
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
        return ItemEdit(
            sets | keys,
            frozenset((*removed, *gone)),
            tuple(increases),
            joins,
            versions,
            tuple(map(path_edit, self.inside)),
            self.accumulates,
        )


def changes_of(write: Update[Any], target: Target[Any]) -> Changes:
    """Return what an update changes. Raise when a field or value is not valid, or only the library may set it."""
    layout = target.layout
    if isinstance(write.remove, str):
        raise InvalidWrite(f"remove takes a list of fields: remove=[{write.remove!r}]")
    for option, argument in (("set", write.set), ("add", write.add)):
        if not isinstance(argument, Mapping):
            raise InvalidWrite(
                f'{option} takes a mapping: {option}={{"field": value}}, not {describe_argument(argument)}'
            )
    removed: dict[str, Any] = dict.fromkeys(write.remove)
    named = [*write.set, *removed, *write.add]
    for name in named:
        _check_name(layout, name, twice=named.count(name) > 1)
    values = {name: _value(layout, name, value) for name, value in {**write.set, **removed}.items()}
    amounts = {name: _amount(layout, name, amount) for name, amount in write.add.items()}
    inside = []
    for change in placed_changes(layout.entity, write.changes):
        _check_name(layout, change.name, twice=change.name in named)
        _check_kind(layout, change)
        if not change.place.is_nested and isinstance(change.change, SetTo | Remove):
            values[change.name] = change.value
        elif not change.place.is_nested and isinstance(change.change, AddTo):
            amounts[change.name] = change.value
        else:
            inside.append(change)
    kept = _settable(target, values)
    changes = _with_encrypted_inside(Changes(layout, kept, amounts, tuple(inside)))
    if not changes.requested_names:
        raise InvalidWrite(
            f"the update of {layout.entity.__name__} changes nothing; give the new values: update(..., set={{...}}), "
            "or store the whole entity with put"
        )
    return changes


def validated_together(changes: Changes) -> frozenset[str] | None:
    """Return the fields that must be read to validate or compute a change; None when that takes no reading.

    A validator of the class gets all its fields, and a validator of a field may use the fields before it. The limits
    of a field that is added to, or changed inside, apply to the result; bounds of a number are part of the condition.
    """
    layout = changes.layout
    if _is_validated(layout, changes.names):
        return frozenset(layout.fields)
    expiring = {ttl.of for field, ttl in layout.marked(Ttl) if field.name not in changes.set}
    read = {name for name in changes.add if _is_limited_otherwise(layout, name) or name in expiring}
    read |= {change.name for change in changes.inside if _is_read(change) or change.name in expiring}
    return frozenset(read) or None


def _is_limited_otherwise(layout: Layout, name: str) -> bool:
    """Whether a field has limits that a condition on the stored number cannot express."""
    return layout.fields[name].limited and declared_bounds(layout.entity, name) is None


def _is_validated(layout: Layout, names: frozenset[str]) -> bool:
    """Whether the class has validators of these fields, or of all fields together."""
    decorators = layout.entity.__pydantic_decorators__
    validated = {name for validator in decorators.field_validators.values() for name in validator.info.fields}
    return bool(decorators.model_validators or "*" in validated or validated & names)


def _joins_stored_list(change: PlacedChange, stored: Item) -> bool:
    """Whether a change adds elements to a list that is stored: then the other elements are not written."""
    is_joined = isinstance(change.change, Append | Prepend)
    return is_joined and "L" in (value_at(stored, change.place.stored) or {})


def _is_read(change: PlacedChange) -> bool:
    """Whether a change needs the stored value of its field."""
    place, kind = change.place, change.change
    if isinstance(kind, RaiseTo | LowerTo) or place.is_validated_with_parents or place.path.secret:
        return True
    if isinstance(kind, SetTo | Remove):
        return False
    if isinstance(kind, SetIfAbsent):
        return place.is_nested and place.accepts_none
    # ADD and DELETE take attributes only, and None in a map is stored as NULL, which is neither number nor list.
    is_set = isinstance(change.value, set | frozenset)
    may_be_null = place.is_nested and (is_set or place.accepts_none)
    return may_be_null or place.is_limited or place.kind == "unknown"


def _with_encrypted_inside(changes: Changes) -> Changes:
    """Additions to encrypted fields are computed from the stored value, as changes inside of them are."""
    entity = changes.layout.entity
    secret = [name for name in changes.add if changes.layout.fields[name].is_secret]
    if not secret:
        return changes
    moved = [
        AddTo(FieldPath(entity, (name,), True), f"{entity.__name__}.{name}", _as_members(changes.add[name]))
        for name in secret
    ]
    return replace(
        changes,
        add={name: amount for name, amount in changes.add.items() if name not in secret},
        inside=(*changes.inside, *placed_changes(entity, moved)),
    )


def _accumulates(change: PlacedChange) -> bool:
    """Whether applying a change twice differs from applying it once."""
    is_sum = isinstance(change.change, AddTo) and not _is_set(change.value)
    is_indexed = any(isinstance(part, int) for part in change.place.stored)
    return is_sum or is_indexed or isinstance(change.change, Append | Prepend)


def _can_join(stored: AttributeValue | None, value: Any) -> bool:
    """Whether DynamoDB can add a value to a stored one: a number to a number, members to a set, elements to a list."""
    if stored is None:
        return True
    if isinstance(value, list | tuple):
        return "L" in stored
    return not stored.keys().isdisjoint(("SS", "NS", "BS") if _is_set(value) else ("N",))


def _is_stored_in(stored: Item) -> Callable[[PlacedChange, Any], bool]:
    def is_stored(change: PlacedChange, before: Any) -> bool:
        return value_at(stored, change.place.stored) is not None and holds_value(change, before)

    return is_stored


def _has_parent(stored: Item, change: PlacedChange) -> bool:
    """Whether an item has the map or list around the changed value."""
    if not change.place.is_nested:
        return True
    parent = value_at(stored, change.place.stored[:-1]) or {}
    return ("L" if change.place.is_element else "M") in parent


def _check_name(layout: Layout, name: str, *, twice: bool) -> None:
    field = layout.fields.get(name)
    if field is None:
        raise InvalidWrite(f"{layout.entity.__name__} has no field {name}; {field_hint((layout,), name)}")
    if twice:
        raise InvalidWrite(
            f"the update of {layout.entity.__name__} names {name} more than once; set, remove or add it once"
        )
    if field.marker(Version):
        raise InvalidWrite(f"{layout.entity.__name__}.{name} is increased by every write; do not change it")


def _check_kind(layout: Layout, change: PlacedChange) -> None:
    """Raise when a field may not be changed in that way."""
    field, kind = layout.fields[change.name], change.change
    is_whole = not change.place.is_nested
    sets = is_whole and isinstance(kind, SetTo | Remove)
    if field.marker(Counter) and not (is_whole and isinstance(kind, AddTo)):
        raise InvalidWrite(f"{layout.entity.__name__}.{field.name} is a Counter; change it with add")
    if field.name in layout.primary.names and not sets:
        raise InvalidWrite(f"{kind.shown}: the field is part of the primary key; use move")
    if field.automatic == "touched" and not sets:
        raise InvalidWrite(f"{kind.shown}: every write sets the field; leave it out, or use set")
    if field.marker(Hashed) and not (sets or isinstance(kind, SetIfAbsent)):
        raise InvalidWrite(f"{kind.shown}: the field is stored as a hash; set it as a whole")


def _settable(target: Target[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values to set, without those of the primary key, which must be the same."""
    layout, primary = target.layout, target.layout.primary.names
    for name, value in values.items():
        if name in primary and target.known().get(name, ...) != value:
            raise InvalidWrite(
                f"{layout.entity.__name__}.{name} is part of the primary key, which an update cannot change; use move"
            )
        if layout.fields[name].marker(Counter):
            raise InvalidWrite(f"{layout.entity.__name__}.{name} is a Counter; change it with add")
    return {name: value for name, value in values.items() if name not in primary}


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
    if layout.fields[name].marker(Hashed):
        raise InvalidWrite(
            f"{layout.entity.__name__}.{name} is stored as a hash and cannot be added to; set it"
        )
    if layout.fields[name].automatic == "touched":
        raise InvalidWrite(f"{layout.entity.__name__}.{name} is set by every write; do not add to it")
    if not _is_number(amount) and not (_is_set(amount) and amount):
        shown = "its value" if layout.fields[name].is_secret else repr(amount)
        raise InvalidWrite(f"{layout.entity.__name__}.{name}: add takes a number or a set, not {shown}")
    if layout.fields[name].annotation is str:
        raise InvalidWrite(
            f"{layout.entity.__name__}.{name} is a text and cannot be added to; change it with set"
        )
    try:
        fitting = type_adapter(layout.fields[name].annotation).validate_python(amount)
    except ValidationError as error:
        where = f"{layout.entity.__name__}.{name}"
        is_secret = layout.fields[name].is_secret
        raise InvalidWrite(
            f"{where} is not valid" if is_secret else describe_problems(problems_of(error), where)
        ) from None
    if (_is_number(fitting), _is_set(fitting)) != (_is_number(amount), _is_set(amount)):
        raise InvalidWrite(
            f"{layout.entity.__name__}.{name} is neither a number nor a set; change it with set"
        )
    return fitting


def _as_members(amount: Any) -> tuple[Any, ...]:
    return tuple(amount) if _is_set(amount) else (amount,)


def _is_set(value: Any) -> bool:
    return isinstance(value, set | frozenset)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
