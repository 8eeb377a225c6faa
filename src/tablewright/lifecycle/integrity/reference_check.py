"""Check the references of an entity: the targets that its fields name exist.

The targets of many items are read in joint batches (see `joined_reads`), and those that exist are remembered, because
many entities refer to the same few. A target that seems to be absent is read again, and so is the item: clients may
have written either meanwhile.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired
from tablewright.access.items.footprint import ComparableKey, comparable_key, entity_values, reference_key
from tablewright.access.items.item_values import key_of
from tablewright.access.items.vault import NoVault, compute_with_keys, lookup_values
from tablewright.access.procedures import Procedure
from tablewright.access.reads.item_reads import item_at, items_at
from tablewright.access.writes.actions import entity_exists
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.entities.references import DeclaredReference
from tablewright.design.fields.masking import masked_values
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import KeyValueError
from tablewright.errors.library_errors import format_key

MOST_REMEMBERED = 50_000
"""How many targets that exist are remembered, at most."""

Place = tuple[Table, ComparableKey]


class DanglingReference(NamedTuple):
    """A reference whose target does not exist."""

    reference: DeclaredReference
    values: Mapping[str, Any]
    """The fields of the target."""

    def __str__(self) -> str:
        shown = masked_values(self.reference.target.layout.secrets, self.values)
        target = f"{self.reference.target.__name__}({format_key(shown)})"
        return f"refers to {target} in {self.reference.field.name}, which does not exist"


class _Lookup(NamedTuple):
    """Where the target of a reference is stored: its main item, or the lock that leads to it."""

    dangling: DanglingReference
    key: Item | None
    """None if no key can contain the values."""

    @property
    def table(self) -> Table:
        return self.dangling.reference.target.layout.table

    @property
    def place(self) -> Place | None:
        return None if self.key is None else (self.table, comparable_key(self.table, self.key))


@dataclass(frozen=True, slots=True)
class ReferenceCheck:
    """Checks the references of the entities of a design. It can be shared between threads."""

    design: Design
    context: Context
    _existing: set[Place] = field(default_factory=set)

    def unfollowed(self, entity: type[Entity]) -> list[DeclaredReference]:
        """The references that are not checked, because the key of their target is a hash and there are no keys."""
        return [
            reference for reference in self.design.references_of(entity) if not self._can_follow(reference)
        ]

    def dangling(self, item: Item, entity: Entity) -> Procedure[list[DanglingReference]]:
        """Return the references of an entity whose targets do not exist; `item` is its main item."""
        lookups = yield from compute_with_keys(lambda: self._lookups(entity))
        absent = yield from self._absent(lookups)
        if not absent:
            return []
        again = []
        for lookup in absent:
            if lookup.key is None or not (yield from self._exists(lookup)):
                again.append(lookup.dangling)
        table = entity.layout.table
        current = yield from item_at(self.context, table, key_of(table, item))
        return again if current == item else []

    def _lookups(self, entity: Entity) -> list[_Lookup]:
        values = entity_values(entity)
        return [
            _Lookup(DanglingReference(reference, target), self._key(reference, target))
            for reference in self.design.references_of(type(entity))
            if not reference.problem and self._can_follow(reference)
            for target in reference.targets(values)
        ]

    def _can_follow(self, reference: DeclaredReference) -> bool:
        secrets = reference.target.layout.secrets
        return secrets.isdisjoint(reference.sources) or not isinstance(self.context.vault, NoVault)

    def _key(self, reference: DeclaredReference, target: Mapping[str, Any]) -> Item | None:
        try:
            hashed = lookup_values(self.context.vault, reference.target.layout, target)
            return reference_key(reference, hashed)
        except KeyValueError:
            return None

    def _absent(self, lookups: Iterable[_Lookup]) -> Procedure[list[_Lookup]]:
        """Return the lookups whose item is not stored; items are read in one batch for each table."""
        unknown = [lookup for lookup in lookups if lookup.place not in self._existing]
        for table in dict.fromkeys(lookup.table for lookup in unknown):
            keys = [lookup.key for lookup in unknown if lookup.table is table and lookup.key is not None]
            if keys:
                stored = yield from items_at(self.context, table, keys)
                for lookup in unknown:
                    place = lookup.place
                    if place and lookup.table is table and self._is_target(lookup, stored.get(place[1])):
                        self._remember(place)
        return [lookup for lookup in unknown if lookup.place not in self._existing]

    def _exists(self, lookup: _Lookup) -> Procedure[bool]:
        assert lookup.key is not None
        stored = yield from item_at(self.context, lookup.table, lookup.key)
        return self._is_target(lookup, stored)

    def _is_target(self, lookup: _Lookup, stored: Item | None) -> bool:
        """Whether an item is the target, or its lock; `fsck` checks locks by themselves."""
        reference = lookup.dangling.reference
        if reference.lock is not None:
            return stored is not None and not is_expired(lookup.table, stored, self.context.now())
        return entity_exists(reference.target.layout, stored, self.context.now())

    def _remember(self, place: Place) -> None:
        if len(self._existing) >= MOST_REMEMBERED:
            self._existing.clear()
        self._existing.add(place)
