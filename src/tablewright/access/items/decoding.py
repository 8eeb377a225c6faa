"""Decode items to entities. Type, values and keys are checked on every read.

An item that is not of the expected class is neither dropped nor repaired: it becomes an `UnknownItem`.

Upcasting: convert items of older versions of a class to the current version as they are read.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar, cast, get_origin

from pydantic import ValidationError

from tablewright.access.items.footprint import (
    carried_names,
    computed_values,
    entity_values,
    stored_owner_key,
)
from tablewright.access.items.item_values import (
    differs,
    from_attribute,
    number_or_bytes,
    parse_key,
    to_attribute,
)
from tablewright.access.items.stored_forms import form_tests
from tablewright.access.items.vault import Vault, hidden_attributes, secret_fields
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import KEPT, OWNER, SCHEMA_VERSION, CopyLayout, KeyLayout, Layout
from tablewright.design.layouts.partial_entities import partial_entity
from tablewright.design.tables import KeyType, Table
from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import KeyValueError, UnknownItem, ValueNotStorable

FAILURES = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, ValueNotStorable)
"""What a user's function raises for attributes that it does not expect."""


class NotUpcast(Exception):
    """An item that the upcasts of its class cannot convert; the message says why."""


def version_of(item: Item) -> int:
    """Return the schema version of an item; 1 when it has none."""
    written = item.get(SCHEMA_VERSION, {}).get("N", "1")
    return int(written) if written.isdecimal() else 1


def is_outdated(layout: Layout, item: Item) -> bool:
    """Return whether an item must be upcast before the class can read it."""
    return bool(layout.upcasts) and version_of(item) < (layout.schema_version or 1)


def upcast(layout: Layout, item: Item) -> Item:
    """Return a decrypted item in the current version of its class; unchanged values are shared."""
    version = version_of(item)
    before = {name: from_attribute(value) for name, value in item.items()}
    after = before
    for start in sorted(layout.upcasts):
        if start < version:
            continue
        try:
            after = layout.upcasts[start](dict(after))
        except FAILURES as error:
            raise NotUpcast(f"it cannot be upcast from version {start} to {start + 1}: {error}") from None
        if not isinstance(after, dict):
            raise NotUpcast(
                f"it cannot be upcast from version {start} to {start + 1}: the upcast returned no dict"
            )
    try:
        made = {
            name: item[name] if name in item and before[name] == value else to_attribute(value)
            for name, value in after.items()
            if value is not None
        }
    except ValueNotStorable as error:
        raise NotUpcast(f"it is upcast to a value that cannot be stored: {error}") from None
    return {**made, SCHEMA_VERSION: {"N": str(layout.schema_version)}}


Made = TypeVar("Made", covariant=True)
KeyParts = tuple[tuple[str, KeyType, Template], ...]
"""The attribute, type and template of each part of a key."""

_NO_TYPE: AttributeValue = {}
FIVE_YEARS = 5 * 365 * 24 * 3600


def is_expired(table: Table, item: Item, now: float) -> bool:
    """Return whether an item has expired, deleted or not; DynamoDB ignores expiries more than five years ago."""
    if table.ttl is None:
        return False
    numeral = item.get(table.ttl, {}).get("N")
    return numeral is not None and now - FIVE_YEARS < float(numeral) <= now


class _CopyReader:
    """How an entity is made of one of its copies.

    A field is read from the attribute that the copy carries, from the key of the entity, or from the key of the copy.
    What is in none of them is absent.
    """

    def __init__(self, layout: Layout, copy: CopyLayout) -> None:
        self.layout = layout
        self.element = copy.copy.name
        self.key = _parts(layout.table, copy.primary)
        self._type = copy.copy.type or layout.type_name
        carried = frozenset(carried_names(layout, copy))
        self.is_whole = carried >= layout.fields.keys()
        self.carried = frozenset(layout.fields[name].stored for name in carried)
        """The attributes that are fields."""
        templates = [template for key in (layout.primary, copy.primary) for _, template in key.parts]
        in_keys = {name for template in templates for name in template.parsed_names}
        self.absent = frozenset(layout.fields.keys() - carried - in_keys)

    def may_be(self, item: Item) -> bool:
        """Whether an item has the type of the copy, and a key of its form."""
        type_name = item.get(self.layout.table.discriminator, _NO_TYPE).get("S")
        return type_name == self._type and all(
            kind in item.get(attribute, _NO_TYPE)
            and (kind != "S" or template.parse(item[attribute]["S"]) is not None)
            for attribute, kind, template in self.key
        )

    def values(self, stored: Item) -> dict[str, Any]:
        """The fields that the copy carries, by their attributes."""
        return {name: from_attribute(stored[name]) for name in self.carried if name in stored}

    def fill_from_key(self, item: Item, values: dict[str, Any]) -> None:
        """Read fields that are neither in the copy nor in the key of its entity from its own key."""
        for attribute, _, template in self.key:
            for name, value in parse_key(item[attribute], template).items():
                if name in self.layout.fields:
                    values.setdefault(self.layout.fields[name].stored, value)

    def agrees(self, item: Item, entity: Entity) -> bool:
        """Whether the key of the copy was made of the values of an entity, as far as they were read."""
        try:
            values = {**entity.__dict__, **computed_values(entity)}
        except KeyValueError:
            return False
        if self.element is not None:
            for attribute, _, template in self.key:
                parsed = parse_key(item[attribute], template)
                values |= {name: value for name, value in parsed.items() if name == self.element}
        return _agrees(self.key, item, values, are_all=False)


class Decoder:
    """Makes entities of one class from items."""

    def __init__(self, layout: Layout, vault: Vault, unread: Collection[str] = ()) -> None:
        """`unread` are the fields that a search does not return."""
        self.layout = layout
        self._unread = frozenset(unread)
        self.types = {layout.type_name, *(copy.copy.type or layout.type_name for copy in layout.copies)}
        self._vault = vault if secret_fields(layout) else None
        self._is_stored_as_read = self._vault is None and not layout.upcasts
        self._secret = frozenset(layout.fields[name].stored for name in layout.secrets)
        self._fields = tuple(
            field.stored for name, field in layout.fields.items() if name not in self._unread
        )
        self._absent = _absent_values(layout)
        self._validate = layout.entity.__pydantic_validator__.validate_python
        self._primary = _parts(layout.table, layout.primary)
        copies = [_CopyReader(layout, copy) for copy in layout.copies]
        self._whole_copies = tuple((copy.element, copy.key) for copy in copies if copy.is_whole)
        self._other_copies = tuple(copy for copy in copies if not copy.is_whole)
        own = {attribute for key in (layout.primary, *layout.indexes) for attribute, _ in key.parts}
        labels = {layout.table.discriminator, SCHEMA_VERSION, OWNER, KEPT}
        unread_attributes = {layout.fields[name].stored for name in self._unread}
        self._declared = frozenset({*own, *labels, *self._fields, *unread_attributes})
        of_copies = {a for copy in layout.copies for key in copy.indexes for a, _ in key.parts}
        self._declared_in_copies = self._declared | of_copies
        self._key_fields = {
            layout.fields[name].stored for name in layout.primary.names if name in layout.fields
        }
        self._has_computed = bool(layout.computed)
        self._other_forms = form_tests(layout.entity).forms

    def decrypted(self, item: Item) -> Item:
        """Return an item decrypted, in the current version, and with the attributes that a copy hides from indexes."""
        stored = {**item, **hidden_attributes(item)} if KEPT in item else item
        if self._vault is not None:
            stored = self._vault.decrypt(self.layout, stored)
        return self.upcast(stored) if is_outdated(self.layout, stored) else stored

    def upcast(self, decrypted: Item) -> Item:
        """Return a decrypted item of an older version in the current version."""
        try:
            return upcast(self.layout, decrypted)
        except NotUpcast as error:
            raise self._unknown(decrypted, str(error)) from None

    def make(self, item: Item) -> Entity:
        """Return the entity of an item; raise `UnknownItem` when it is none."""
        return self.entity_from(
            item, item if self._is_stored_as_read and KEPT not in item else self.decrypted(item)
        )

    def entity_from(
        self, item: Item, stored: Item, *, any_key: bool = False, any_name: bool = False
    ) -> Entity:
        """Return the entity of an item, given the item as `decrypted` returns it.

        `any_key` accepts a key that does not match the fields: that of an older key template. `any_name` accepts nested
        models under their names in Python, which only a repair reads.
        """
        if self._other_copies and OWNER in item:
            entity = self._from_copy(item, stored)
            if entity is not None:
                return entity
        # Most values are strings: they are read without the cost of a call.
        values = {
            name: value["S"] if "S" in value else from_attribute(value)
            for name in self._fields
            if (value := stored.get(name)) is not None
        }
        if not self._key_fields <= values.keys():
            self._fill_from_key(item, values)
        if self._absent:
            values = {**self._absent, **values}
        if self._unread:
            entity = self._partial(item, values, self._unread)
        else:  # not a call of the above: this is done for each item of a page
            try:
                entity = self._validate(values, by_alias=True, by_name=any_name)
            except ValidationError as error:
                raise self._invalid(item, error) from None
        if not self._declared.issuperset(stored):
            self._keep_unknown(entity, stored)
        if (forms := self._other_forms(item, entity.__dict__)) is not None:
            entity.remember_forms(forms)
        sources = self._key_sources(item, entity) if self._has_computed else entity.__dict__
        if not any_key and not _agrees(self._primary, item, sources):
            self._check_copy(item, sources)
        if self._unread:
            entity.mark_partial(searched=True)
        return entity

    def _keep_unknown(self, entity: Entity, stored: Item) -> None:
        declared = self._declared_in_copies if OWNER in stored else self._declared
        entity.unknown_attributes = {name: value for name, value in stored.items() if name not in declared}

    def _invalid(self, item: Item, error: ValidationError) -> UnknownItem:
        problems = describe_problems(problems_of(error), secrets=self._secret, shows_values=False)
        return self._unknown(item, problems)

    def _partial(self, item: Item, values: Mapping[str, Any], absent: frozenset[str]) -> Entity:
        """An entity without the absent fields; one that lacks none is validated as a whole."""
        try:
            if not absent:
                return cast(Entity, self._validate(values, by_alias=True, by_name=False))
            return cast(Entity, partial_entity(self.layout.entity, absent, values, by_name=False))
        except ValidationError as error:
            raise self._invalid(item, error) from None
        except FAILURES as error:  # a validator that looks at a field which was not read
            raise self._unknown(
                item, f"its fields cannot be validated without the others: {error!r}"
            ) from None

    def _key_sources(self, item: Item, entity: Entity) -> Mapping[str, Any]:
        try:
            return entity_values(entity)
        except KeyValueError as error:
            raise self._unknown(item, f"it has values of which its key cannot be computed: {error}") from None

    def _check_copy(self, item: Item, values: Mapping[str, Any]) -> None:
        """Check that an item is a copy which has all fields."""
        for element, key in self._whole_copies:
            if _agrees(key, item, values) if element is None else _agrees_but_for(element, key, item, values):
                return
        raise self._unknown(item, "it has a key that does not match its fields")

    def _from_copy(self, item: Item, stored: Item) -> Entity | None:
        """The entity of a copy that lacks some fields, or has them only in its key; None if the item is none."""
        problem: UnknownItem | None = None
        for copy in self._other_copies:
            if not copy.may_be(item):
                continue
            values = copy.values(stored)
            self._fill_from_key(item, values)
            copy.fill_from_key(item, values)
            absent_values = {
                name: value
                for name, value in self._absent.items()
                if name in copy.carried and name not in values
            }
            try:
                entity = self._partial(item, {**absent_values, **values}, copy.absent)
            except UnknownItem as error:
                problem = error
                continue
            if copy.agrees(item, entity):
                if not self._declared.issuperset(stored):
                    self._keep_unknown(entity, stored)
                if copy.absent:
                    entity.mark_partial()
                return entity
        if problem is not None:
            raise problem
        return None

    def _fill_from_key(self, item: Item, values: dict[str, Any]) -> None:
        """Read fields that the item lacks from its key: other programs often store them only there.

        A copy has the key of its entity in `_of`.
        """
        key = (stored_owner_key(self.layout.table, item) or {}) if OWNER in item else item
        for attribute, template in self.layout.primary.parts:
            for name, value in parse_key(key.get(attribute, {}), template).items():
                if name in self.layout.fields:
                    values.setdefault(self.layout.fields[name].stored, value)

    def _unknown(self, item: Item, reason: str) -> UnknownItem:
        return unknown_item(
            self.layout.table, item, f"is not a valid {self.layout.entity.__name__}: {reason}"
        )


class Maker(Protocol[Made]):
    """Decodes items of one class."""

    layout: Layout
    types: set[str | None]

    def make(self, item: Item) -> Made:
        """Decode an item; raise `UnknownItem` when it is of another class."""


class Chooser(Generic[Made]):
    """Finds the class of an item among those that a pattern returns, and decodes it."""

    def __init__(self, makers: Iterable[Maker[Made]]) -> None:
        self._all = tuple(makers)
        self._table = self._all[0].layout.table
        self._discriminator = self._table.discriminator
        # Most patterns return one class: the types that need no search among several, and its decoder.
        self._only_types = self._all[0].types if len(self._all) == 1 else set()
        self._only_make = self._all[0].make

    def make(self, item: Item) -> Made:
        """Decode an item; raise `UnknownItem` when it is of none of the classes."""
        type_name = item.get(self._discriminator, _NO_TYPE).get("S")
        if type_name in self._only_types:
            return self._only_make(item)
        fitting = [maker for maker in self._all if type_name in maker.types or None in maker.types]
        if not fitting:
            error = unknown_item(self._table, item, self._problem(type_name))
            error.is_of_other_type = type_name is not None
            raise error
        for maker in fitting[:-1]:
            try:
                return maker.make(item)
            except UnknownItem:
                continue
        return fitting[-1].make(item)

    def _problem(self, type_name: str | None) -> str:
        discriminator = self._table.discriminator
        expected = " or ".join(repr(maker.layout.type_name) for maker in self._all)
        if type_name is None:
            return f"has no {discriminator}; expected {expected}"
        return f"has the {discriminator} {type_name!r}; expected {expected}"


def unknown_item(table: Table, item: Item, reason: str) -> UnknownItem:
    """Return the error for an item."""
    key = {attribute: item[attribute] for attribute in table.key if attribute in item}
    return UnknownItem(table.name, key, item, reason)


def _absent_values(layout: Layout) -> dict[str, Any]:
    """The values of absent attributes where they are not the default: None and empty sets are not stored."""
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


def _agrees(key: KeyParts, item: Item, values: Mapping[str, Any], *, are_all: bool = True) -> bool:
    """Return whether a key was made of these values; unless they `are_all`, of these and others."""
    try:
        for attribute, kind, template in key:
            stored = item[attribute][kind]
            if not are_all and not values.keys() >= set(template.names):
                agrees = kind != "S" or template.fits(stored, values)
            elif kind == "S":
                agrees = stored == template.render(values)
            else:
                made = number_or_bytes(attribute, kind, template, values)
                agrees = not differs({kind: stored}, made)
            if not agrees:
                return False
    except (KeyError, KeyValueError):
        return False
    return True


def _agrees_but_for(element: str, key: KeyParts, item: Item, values: Mapping[str, Any]) -> bool:
    """The same for a copy of one list element: no field has the element, so it is read from the key."""
    for attribute, _, template in key:
        parsed = parse_key(item.get(attribute, {}), template)
        if element in parsed:
            return _agrees(key, item, {**values, element: parsed[element]})
    return False
