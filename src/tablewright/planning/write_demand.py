"""Write demand: the capacity that one write of an entity consumes.

- A write is rounded up to 1 KB, in the table and in each index that contains the item. An update that changes an index
  key deletes the old row and writes a new one. An update writes to a KEYS_ONLY index only when it changes a key.
- An entity with copies or locks is written in a transaction, which consumes twice the units; the library reads the
  item first if it needs the old values.
- A write whose condition fails consumes the units of the table, and none of the indexes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tablewright.access.items.footprint import carried_names
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.tables.tables import Index
from tablewright.dynamodb.values.capacity import read_units, write_units
from tablewright.planning.capacity_demand import Demand, Resource, Units, added
from tablewright.planning.stored_sizes import StoredItem, stored_items
from tablewright.planning.workloads import EntityUse


@dataclass(frozen=True)
class WritePart:
    """The part of one write that goes to one table or index: its average units, and the key it is written under."""

    stored: StoredItem
    key: KeyLayout | None
    """None is the key of a lock."""
    units: Units

    @property
    def resource(self) -> Resource:
        """The table or index."""
        return Resource.of(self.stored.layout.table, self.key.index if self.key else None)

    def times(self, factor: float) -> "WritePart":
        """The part, multiplied by a factor."""
        return replace(self, units=self.units * factor)


def demand_of_write(layout: Layout, kind: str, use: EntityUse) -> Demand:
    """The average capacity of one write of an entity; `kind` is `write`, `create`, `update` or `delete`."""
    return added({part.resource: part.units} for part in write_parts(layout, kind, use))


def write_parts(layout: Layout, kind: str, use: EntityUse) -> list[WritePart]:
    """All parts of one write."""
    found = stored_items(layout, use)
    if kind == "update":
        return _update(found, _following(layout, use), use)
    done = _parts_of([(stored, 1.0) for stored in found], kind, use, transactional=len(found) > 1)
    return [*done, _read_before_write(found[0])] if len(found) > 1 and kind == "delete" else done


def _update(found: Sequence[StoredItem], follows: float, use: EntityUse) -> list[WritePart]:
    """An update of the item alone, or, for a share of the updates, also of its copies and locks (an old and a new)."""
    main, dependents = found[0], found[1:]
    relocks = use.relocks if any(stored.kind == "lock" for stored in dependents) else 0.0
    together = max(follows, relocks)
    alone = _parts_of([(main, 1.0)], "update", use, transactional=False)
    if not together:
        return alone
    shares = {"copy": follows / together, "lock": 2 * relocks / together}
    joined = [(main, 1.0), *((stored, shares[stored.kind]) for stored in dependents)]
    whole = [*_parts_of(joined, "update", use, transactional=True), _read_before_write(main)]
    return [
        *(part.times(1 - together) for part in alone if together < 1),
        *(part.times(together) for part in whole),
    ]


def _following(layout: Layout, use: EntityUse) -> float:
    """The share of updates that change copies: all, if copies contain all fields or the time of the update."""
    if not layout.copies:
        return 0.0
    touched = {name for name, field in layout.fields.items() if field.automatic == "touched"}
    if any(copy.copy.fields is None or touched & {*carried_names(layout, copy)} for copy in layout.copies):
        return 1.0
    return 1.0 if use.follows is None else use.follows


def _read_before_write(main: StoredItem) -> WritePart:
    return WritePart(main, main.primary, Units(read_units(main.size, consistent=True)))


def _parts_of(
    written: Iterable[tuple[StoredItem, float]], kind: str, use: EntityUse, *, transactional: bool
) -> list[WritePart]:
    """The parts of writing these items, each with its share; if the condition fails, only those of the table."""
    found = []
    for stored, share in written:
        often = stored.count * share
        if not often:
            continue
        units = Units(write=write_units(stored.size, transactional=transactional) * often)
        found.append(WritePart(stored, stored.primary, units))
        for key in stored.keys:
            if key.index is not None:
                rows = _rows(kind, key.index, use) * use.present.get(key.index.name, 1.0) * (1 - use.fails)
                row = write_units(stored.row_size(key.index), transactional=transactional)
                found.append(WritePart(stored, key, Units(write=rows * row * often)))
    return found


def _rows(kind: str, index: Index, use: EntityUse) -> float:
    """The number of rows of an index that one write of an item in it changes."""
    if kind != "update":
        return 1.0
    moved = use.moved(index.name)
    return 2 * moved + (0.0 if index.projection == "KEYS_ONLY" else 1 - moved)
