"""From items to entities, trusting nothing: type, values and keys are checked on every read.

An item that is not what was asked for is never dropped and never guessed at: it becomes an `UnknownItem`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from pydantic import ValidationError

from tablewright.access.codec import from_attribute
from tablewright.access.vaults import Vault, secret_fields
from tablewright.design.entities import Entity
from tablewright.design.layouts import KeyLayout, Layout
from tablewright.design.tables import Table
from tablewright.design.templates import Template
from tablewright.errors import KeyValueError, UnknownItem
from tablewright.values.attributes import Item

Made = TypeVar("Made", covariant=True)
KeyParts = tuple[tuple[str, str, Template], ...]
"""The attribute, type and template of each part of a key."""

SCHEMA_VERSION = "schemaVersion"
"""The attribute that tells which version of its class wrote an item."""

OWNER = "_of"
"""The attribute by which a copy or a lock names its entity: the primary key of the main item, as a map."""

KEPT = "_kept"
"""The attribute of a copy with those fields that would put it in an index where it does not belong, as a map."""

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
        self._fields = {field.stored: field.name for field in layout.fields.values()}
        self._validate = layout.entity.__pydantic_validator__.validate_python
        self._primary = _parts(layout.table, layout.primary)
        self._copies = tuple(_parts(layout.table, copy.primary) for copy in layout.copies)
        own = {attribute for key in (layout.primary, *layout.indexes) for attribute, _ in key.parts}
        own |= {a for copy in layout.copies for key in copy.indexes for a, _ in key.parts}
        self._own = (own | {layout.table.discriminator, SCHEMA_VERSION, OWNER, KEPT}) - set(self._fields)
        self._key_fields = {layout.fields[name].stored for name in layout.primary.names}

    def opened(self, item: Item) -> Item:
        """The item with its secrets readable, and with what a copy keeps out of sight of the indexes."""
        if KEPT in item:
            item = {**item, **item[KEPT]["M"]}
        return item if self._vault is None else self._vault.open(self.layout, item)

    def make(self, item: Item) -> Entity:
        """The entity that an item holds; `UnknownItem` when it holds none."""
        values, unknown = self._sorted(self.opened(item))
        if not self._key_fields <= values.keys():
            self._fill_from_key(item, values)
        try:
            entity: Entity = self._validate(values, by_alias=True, by_name=False)
        except ValidationError as refusal:
            raise self._refusal(item, _complaint(refusal)) from None
        if unknown:
            entity._unknown = unknown
        if _agrees(self._primary, item, entity.__dict__):
            return entity
        if any(_agrees(key, item, entity.__dict__) for key in self._copies):
            return entity
        raise self._refusal(item, "has a key that contradicts its fields")

    def _sorted(self, item: Item) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the class declares, as plain values; and what it does not, as it is stored."""
        values, unknown = {}, {}
        for name, value in item.items():
            if name in self._fields:
                # Most values are texts: they are taken without the cost of a call.
                values[name] = value["S"] if "S" in value else from_attribute(value)
            elif name not in self._own:
                unknown[name] = value
        return values, unknown

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


def _parts(table: Table, key: KeyLayout) -> KeyParts:
    return tuple((attribute, table.type_of(attribute), template) for attribute, template in key.parts)


def _agrees(key: KeyParts, item: Item, values: Mapping[str, Any]) -> bool:
    """Whether a key was made of these values."""
    for attribute, kind, template in key:
        stored = item.get(attribute, {}).get(kind)
        try:
            if kind == "S":
                agrees = stored == template.render(values)
            else:
                agrees = from_attribute({kind: stored}) == values[template.names[0]]
        except KeyValueError:
            return False
        except KeyError:  # the element of a copy is told by the key alone
            agrees = stored is not None and template.parse(stored) is not None
        if not agrees:
            return False
    return True


def _complaint(refusal: ValidationError) -> str:
    """What is wrong with which field, without the values: they may be secret."""
    problems = refusal.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems)
