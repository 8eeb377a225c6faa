"""Derived changes: what else of an entity changes with some of its fields.

Index keys, copies, locks and ciphertexts are made of fields. When one of their fields changes, they change too. Which
ones depends on the class and the names of the fields alone, so it is computed once and kept.
"""

from collections.abc import Iterator
from functools import lru_cache

from tablewright.access.items.footprint import carried_names
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.markers import Encrypted, Unique
from tablewright.design.layouts.layouts import KeyLayout, Layout, StoredModel


@dataclass(frozen=True, slots=True)
class DerivedChanges:
    """What changes with some fields of an entity."""

    indexes: tuple[KeyLayout, ...]
    """The index keys that are made of these fields, and those that share an attribute with them."""
    attributes: frozenset[str]
    """The attributes of these index keys that are not fields themselves."""
    reencrypted: frozenset[str]
    """The attributes to encrypt again: those that change, and those bound to a field that changes."""
    sources: frozenset[str]
    """All fields that are needed to compute the derived changes."""
    has_dependents: bool
    """Whether a copy or lock may change."""
    has_computed: bool
    """Whether a key with a computed field may change; computing it needs the whole entity."""


@lru_cache(maxsize=1024)
def derived_changes(entity: type[StoredModel], names: frozenset[str]) -> DerivedChanges:
    """Return what changes with these fields."""
    layout = entity.layout
    indexes = _affected_indexes(layout, names)
    dependents = [group for group in dependent_sources(layout) if group & names]
    encrypted = [
        (field, frozenset((field.name, *marker.context)))
        for field, marker in layout.marked(Encrypted)
        if names & {field.name, *marker.context}
    ]
    return DerivedChanges(
        indexes=indexes,
        attributes=frozenset().union(*(_derived(layout, key) for key in indexes)),
        reencrypted=frozenset(field.stored for field, _ in encrypted),
        sources=frozenset().union(
            *(layout.stored_sources(key.names) for key in indexes),
            *dependents,
            *(group for _, group in encrypted),
        ),
        has_dependents=bool(dependents),
        has_computed=_has_computed(layout, indexes, names),
    )


def dependent_sources(layout: Layout) -> Iterator[frozenset[str]]:
    """Return for each copy and each lock the fields it is made of."""
    for copy in layout.copies:
        names = [*carried_names(layout, copy), *copy.primary.names]
        names += [name for index in copy.indexes for name in index.names]
        names += [copy.copy.each] if copy.copy.each else []
        yield layout.stored_sources(names)
    expiry = layout.field_stored_as(layout.table.ttl) if layout.table.ttl else None
    for field, unique in layout.marked(Unique):
        yield layout.stored_sources((field.name, *unique.sources, *([expiry.name] if expiry else [])))


def _affected_indexes(layout: Layout, names: frozenset[str]) -> tuple[KeyLayout, ...]:
    derived = {key: _derived(layout, key) for key in layout.indexes}
    changed = layout.with_computed(names)
    found = [key for key in layout.indexes if derived[key] and changed & set(key.names)]
    while True:
        shared = set().union(*(derived[key] for key in found))
        more = [key for key in layout.indexes if key not in found and derived[key] & shared]
        if not more:
            return tuple(found)
        found += more


def _derived(layout: Layout, key: KeyLayout) -> frozenset[str]:
    permanent = layout.permanent_attributes
    return frozenset(attribute for attribute, _ in key.parts if attribute not in permanent)


def _has_computed(layout: Layout, indexes: tuple[KeyLayout, ...], names: frozenset[str]) -> bool:
    in_indexes = {name for key in indexes for name in key.names}
    in_primary = layout.with_computed(names) & set(layout.primary.names)
    return not layout.computed.keys().isdisjoint(in_indexes | in_primary)
