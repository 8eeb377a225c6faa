"""From items to entities, trusting nothing: type, values and keys are checked on every read.

An item that is not what was asked for is never dropped and never guessed at: it becomes an `UnknownItem`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar, get_origin

from pydantic import ValidationError

from tablewright.access.items.footprint import carried_names
from tablewright.access.items.upcasting import NotUpcast, is_outdated, upcast
from tablewright.access.items.value_codec import from_attribute
from tablewright.access.items.vault import Vault, secret_fields
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.layouts.reserved_attributes import KEPT, OWNER, SCHEMA_VERSION
from tablewright.design.tables.tables import Table
from tablewright.errors import KeyValueError, UnknownItem
from tablewright.values.attributes import Item

Made = TypeVar("Made", covariant=True)
KeyParts = tuple[tuple[str, str, Template], ...]
"""The attribute, type and template of each part of a key."""

FIVE_YEARS = 5 * 365 * 24 * 3600


def is_expired(table: Table, item: Item, now: float) -> bool:
    """Whether an item's time is over, swept or not; DynamoDB ignores what expired more than five years ago."""
    if table.ttl is None:
        return False
    numeral = item.get(table.ttl, {}).get("N")
    return numeral is not None and now - FIVE_YEARS < float(numeral) <= now


class Decoder:
    """Makes entities of one class from items."""

    def __init__(self, layout: Layout, vault: Vault) -> None:
        self.layout = layout
        self.types = {layout.type_name, *(copy.copy.type or layout.type_name for copy in layout.copies)}
        self._vault = vault if secret_fields(layout) else None
        self._is_as_it_lies = self._vault is None and not layout.upcasts
        self._secret = frozenset(layout.fields[name].stored for name in layout.secrets)
        self._fields = tuple(field.stored for field in layout.fields.values())
        self._absent = _absent_values(layout)
        self._validate = layout.entity.__pydantic_validator__.validate_python
        self._primary = _parts(layout.table, layout.primary)
        self._copies = tuple(
            (
                copy.copy.name,
                _parts(layout.table, copy.primary),
                set(carried_names(layout, copy)) < layout.fields.keys(),
            )
            for copy in layout.copies
        )
        own = {attribute for key in (layout.primary, *layout.indexes) for attribute, _ in key.parts}
        own |= {a for copy in layout.copies for key in copy.indexes for a, _ in key.parts}
        labels = {layout.table.discriminator, SCHEMA_VERSION, OWNER, KEPT}
        self._declared = frozenset({*own, *labels, *self._fields})
        self._key_fields = {layout.fields[name].stored for name in layout.primary.names}

    def decrypted(self, item: Item) -> Item:
        """The item with its secrets readable, as today's class has it, and with what a copy keeps out of sight."""
        stored = {**item, **item[KEPT]["M"]} if KEPT in item else item
        if self._vault is not None:
            stored = self._vault.decrypt(self.layout, stored)
        return self.upcast(stored) if is_outdated(self.layout, stored) else stored

    def upcast(self, opened: Item) -> Item:
        """An item of an older version, its secrets readable, as today's class has it."""
        try:
            return upcast(self.layout, opened)
        except NotUpcast as refusal:
            raise self._refusal(opened, str(refusal)) from None

    def make(self, item: Item) -> Entity:
        """The entity that an item holds; `UnknownItem` when it holds none."""
        return self.entity_from(
            item, item if self._is_as_it_lies and KEPT not in item else self.decrypted(item)
        )

    def entity_from(self, item: Item, stored: Item) -> Entity:
        """The entity that an item holds, given what `opened` makes of it."""
        # Most values are texts: they are taken without the cost of a call.
        values = {
            name: value["S"] if "S" in value else from_attribute(value)
            for name in self._fields
            if (value := stored.get(name)) is not None
        }
        if not self._key_fields <= values.keys():
            self._fill_from_key(item, values)
        if self._absent:
            values = {**self._absent, **values}
        try:
            entity: Entity = self._validate(values, by_alias=True, by_name=False)
        except ValidationError as refusal:
            raise self._refusal(item, validation_problems(refusal, self._secret)) from None
        if not self._declared.issuperset(stored):
            entity.unknown_attributes = {
                name: value for name, value in stored.items() if name not in self._declared
            }
        if not _agrees(self._primary, item, entity.__dict__):
            self._settle_copy(item, entity)
        return entity

    def _settle_copy(self, item: Item, entity: Entity) -> None:
        """See to it that an item is a copy, and that the entity knows when that is not all of it."""
        values = entity.__dict__
        for element, key, partial in self._copies:
            if _agrees(key, item, values) if element is None else _agrees_but_for(element, key, item, values):
                if partial:
                    entity.mark_partial()
                return
        raise self._refusal(item, "has a key that contradicts its fields")

    def _fill_from_key(self, item: Item, values: dict[str, Any]) -> None:
        """Fields that the item lacks but its key tells: data of others often has them there only."""
        for attribute, template in self.layout.primary.parts:
            told = template.parse(item.get(attribute, {}).get("S", "")) or {}
            for name, text in told.items():
                values.setdefault(self.layout.fields[name].stored, text)

    def _refusal(self, item: Item, reason: str) -> UnknownItem:
        return unknown_item(self.layout.table, item, f"is no {self.layout.entity.__name__}: it {reason}")


class Maker(Protocol[Made]):
    """Makes something of the items of one class."""

    layout: Layout
    types: set[str | None]

    def make(self, item: Item) -> Made:
        """What the item holds; `UnknownItem` when it does not."""


class Chooser(Generic[Made]):
    """Finds the class of an item, among those that a pattern returns, and makes it."""

    def __init__(self, makers: Iterable[Maker[Made]]) -> None:
        self._all = tuple(makers)
        self._first = self._all[0]
        self._table = self._all[0].layout.table

    def make(self, item: Item) -> Made:
        """What the item holds; `UnknownItem` when it is of none of the classes."""
        said = item.get(self._table.discriminator, {}).get("S")
        if len(self._all) == 1 and said in self._first.types:
            return self._first.make(item)
        fitting = [each for each in self._all if said in each.types or None in each.types]
        if not fitting:
            raise unknown_item(self._table, item, self._complaint(said))
        for maker in fitting[:-1]:
            try:
                return maker.make(item)
            except UnknownItem:
                continue
        return fitting[-1].make(item)

    def _complaint(self, said: str | None) -> str:
        discriminator = self._table.discriminator
        wanted = " or ".join(repr(each.layout.type_name) for each in self._all)
        if said is None:
            return f"has no {discriminator}, and {wanted} was expected"
        return f"has the {discriminator} {said!r}, and {wanted} was expected"


def unknown_item(table: Table, item: Item, reason: str) -> UnknownItem:
    """The complaint about an item."""
    key = {attribute: item[attribute] for attribute in table.key if attribute in item}
    return UnknownItem(table.name, key, item, reason)


def _absent_values(layout: Layout) -> dict[str, Any]:
    """What absence means where it is not the default: None and the empty set are written as nothing at all."""
    absent: dict[str, Any] = {}
    for name, field in layout.fields.items():
        info = layout.entity.model_fields[name]
        default = ... if info.is_required() or info.default_factory else info.default
        if name not in layout.primary.names and default is not None:
            if field.optional:
                absent[field.stored] = None
            elif get_origin(field.annotation) in (set, frozenset):
                absent[field.stored] = frozenset()
    return absent


def _parts(table: Table, key: KeyLayout) -> KeyParts:
    return tuple((attribute, table.type_of(attribute), template) for attribute, template in key.parts)


def _agrees(key: KeyParts, item: Item, values: Mapping[str, Any]) -> bool:
    """Whether a key was made of these values."""
    try:
        for attribute, kind, template in key:
            stored = item[attribute][kind]
            if kind == "S":
                agrees = stored == template.render(values)
            else:
                agrees = from_attribute({kind: stored}) == values[template.names[0]]
            if not agrees:
                return False
    except (KeyError, KeyValueError):
        return False
    return True


def _agrees_but_for(element: str, key: KeyParts, item: Item, values: Mapping[str, Any]) -> bool:
    """The same for a copy, whose element no field tells: it is taken from the key itself."""
    for attribute, _, template in key:
        told = template.parse(item.get(attribute, {}).get("S", ""))
        if told and element in told:
            return _agrees(key, item, {**values, element: told[element]})
    return False


def validation_problems(refusal: ValidationError, secret: frozenset[str]) -> str:
    """What is wrong with which field, without the values; of a secret, not even what its validator says of it.

    A validator of the whole class may speak of any field, so where one is secret it is not quoted either.
    """
    problems = refusal.errors(include_url=False, include_context=False, include_input=False)
    told = []
    for each in problems:
        where = ".".join(map(str, each["loc"]))
        silent = each["loc"][0] in secret if each["loc"] else bool(secret)
        told.append(f"{where or 'as a whole'}: {'is not valid' if silent else each['msg']}")
    return "; ".join(told)
