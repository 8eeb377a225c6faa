"""Expected: what an item, and all that belongs to it, would be if its entity were written now.

What nobody has stored is not made up: a moment or an id that an item lacks would be another one each time. Such fields
are left out, and so are keys and copies that are made of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from tablewright.access.context import Context
from tablewright.access.items.footprint import Dependent, Place, footprint
from tablewright.access.items.vault import lookup_values
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Encrypted
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.layouts.reserved_attributes import KEPT
from tablewright.errors import SecretError
from tablewright.values.attributes import AttributeValue, Item, normalise


@dataclass(frozen=True, slots=True)
class Expected:
    """An entity and its items, secrets not sealed."""

    entity: Entity
    main: Item
    dependents: Mapping[Place, Dependent]
    undecided: frozenset[str]
    """Key attributes of indexes that are made of what nobody has stored."""

    @property
    def layout(self) -> Layout:
        """Where it lies."""
        return self.entity.layout

    @property
    def key(self) -> Item:
        """Its primary key."""
        return {name: self.main[name] for name in self.layout.table.key}

    @property
    def index_attributes(self) -> frozenset[str]:
        """The attributes that are there for indexes alone, and that can be told."""
        return index_attributes(self.layout) - self.undecided


def expected(context: Context, layout: Layout, item: Item, opened: Item) -> Expected:
    """What an item should be; `opened` is what the decoder reads it as. `UnknownItem` when it is no such entity."""
    entity = context.decoder(layout).entity_from(item, opened)
    made = footprint(entity, context.vault)
    invented = {name for name in _fleeting(layout.entity) if layout.fields[name].stored not in opened}
    if not invented:
        return Expected(entity, made.main, made.dependents, frozenset())
    unstored = {layout.fields[name].stored for name in invented}
    undecided = {
        attribute for key in layout.indexes if invented & set(key.names) for attribute, _ in key.parts
    }
    telling = {copy.name for copy in layout.copies if not any(_depends(key, invented) for key in copy.keys)}
    dependents = {
        place: replace(each, item={name: value for name, value in each.item.items() if name not in unstored})
        for place, each in made.dependents.items()
        if each.field is not None or each.copy in telling
    }
    main = {name: value for name, value in made.main.items() if name not in unstored | undecided}
    return Expected(entity, main, dependents, frozenset(undecided) & index_attributes(layout))


def index_attributes(layout: Layout) -> frozenset[str]:
    """The attributes of an entity's item that are there for indexes alone."""
    return frozenset(layout.table.key_attributes) - layout.permanent_attributes


def opened_as_far(context: Context, layout: Layout, item: Item) -> Item:
    """The item with those secrets open that are sealed; what was never sealed stays as it is.

    `SecretAltered` and `SecretShredded` when one is sealed, but not to be opened.
    """
    opened = {**item, **item[KEPT]["M"]} if KEPT in item else item
    if not layout.secrets:
        return opened
    bare = [
        field.stored
        for field, _ in layout.marked(Encrypted)
        if field.stored in opened and "B" not in opened[field.stored]
    ]
    sealed = {name: value for name, value in opened.items() if name not in bare}
    return {**opened, **context.vault.decrypt(layout, sealed)}


def differs(one: AttributeValue | None, other: AttributeValue | None) -> bool:
    """Whether two values are not the same, however they are spelt."""
    if one is None or other is None or one == other:
        return one != other
    return "S" in one or "S" in other or normalise(one) != normalise(other)


def is_current(context: Context, layout: Layout, dependent: Dependent, stored: Item) -> bool:
    """Whether a copy or a lock is as it shall be; ciphertexts are compared by what they hide."""
    wanted = dependent.item
    if dependent.field is None:
        try:
            stored = _as_one(opened_as_far(context, layout, stored))
        except SecretError:
            return False
        wanted = _as_one(_hashed(context, layout, wanted))
    return stored.keys() == wanted.keys() and not any(differs(stored[name], wanted[name]) for name in wanted)


def _as_one(item: Item) -> Item:
    """A copy's item with what it keeps out of sight in its place."""
    rest = {name: value for name, value in item.items() if name != KEPT}
    return {**rest, **(item[KEPT]["M"] if KEPT in item else {})}


def _hashed(context: Context, layout: Layout, item: Item) -> Item:
    """An item that is not sealed, with digests in the place of what is hashed."""
    if not layout.secrets:
        return item
    names = {field.stored: name for name, field in layout.fields.items() if not field.marker(Encrypted)}
    given = {names[stored]: value["S"] for stored, value in item.items() if stored in names and "S" in value}
    values = lookup_values(context.vault, layout, {n: v for n, v in given.items() if n in layout.secrets})
    return {**item, **{layout.fields[name].stored: {"S": str(value)} for name, value in values.items()}}


@cache
def _fleeting(entity: type[Entity]) -> frozenset[str]:
    """The fields that are another each time when nobody has stored them: moments and ids."""
    found = set()
    for name, field in entity.layout.fields.items():
        make = entity.model_fields[name]
        if make.default_factory is None:
            continue
        once, twice = (make.get_default(call_default_factory=True, validated_data={}) for _ in range(2))
        if field.automatic or once != twice:
            found.add(name)
    return frozenset(found)


def _depends(key: KeyLayout, names: set[str]) -> bool:
    return bool(names & set(key.names))
