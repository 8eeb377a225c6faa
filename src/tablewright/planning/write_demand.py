"""Writes: the capacity that one write of an entity takes.

- A write is rounded up to 1 KB, in the table and in each index that the item is in. An update that changes the key of
  an index removes the old row and puts a new one. An update touches an index of keys only when it changes a key.
- What must be written together (copies, locks) is a transaction, which takes twice as much of everything; the library
  reads the item first where it must know what was there.
- A write whose condition does not hold takes what the table's items would have taken, and nothing of the indexes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tablewright.access.items.footprint import carried_names
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.tables.tables import Index
from tablewright.planning.capacity_demand import Demand, Place, Units, added
from tablewright.planning.stored_sizes import Trace, traces
from tablewright.planning.workloads import EntityUse
from tablewright.values.capacity import read_units, write_units


@dataclass(frozen=True)
class Touch:
    """What one write takes of one table or index, on average; and the key by which it goes there."""

    trace: Trace
    key: KeyLayout | None
    """None is the key of a lock."""
    units: Units

    @property
    def place(self) -> Place:
        """Where it goes."""
        return Place.of(self.trace.layout.table, self.key.index if self.key else None)

    def times(self, factor: float) -> "Touch":
        """So many of them."""
        return replace(self, units=self.units * factor)


def demand_of_write(layout: Layout, kind: str, use: EntityUse) -> Demand:
    """What one write of an entity takes, on average: `write` and `create`, `update`, or `delete`."""
    return added({touch.place: touch.units} for touch in touches(layout, kind, use))


def touches(layout: Layout, kind: str, use: EntityUse) -> list[Touch]:
    """All that one write touches."""
    found = traces(layout, use)
    if kind == "update":
        return _update(found, _following(layout, use), use)
    done = _done([(trace, 1.0) for trace in found], kind, use, transactional=len(found) > 1)
    return [*done, _looked_up(found[0])] if len(found) > 1 and kind == "delete" else done


def _update(found: Sequence[Trace], follows: float, use: EntityUse) -> list[Touch]:
    """An update of the item alone, or, as often as need be, of copies and locks (an old and a new one) with it."""
    main, dependents = found[0], found[1:]
    relocks = use.relocks if any(trace.kind == "lock" for trace in dependents) else 0.0
    together = max(follows, relocks)
    alone = _done([(main, 1.0)], "update", use, transactional=False)
    if not together:
        return alone
    shares = {"copy": follows / together, "lock": 2 * relocks / together}
    joined = [(main, 1.0), *((trace, shares[trace.kind]) for trace in dependents)]
    whole = [*_done(joined, "update", use, transactional=True), _looked_up(main)]
    return [
        *(touch.times(1 - together) for touch in alone if together < 1),
        *(touch.times(together) for touch in whole),
    ]


def _following(layout: Layout, use: EntityUse) -> float:
    """The share of updates that copies must follow: all, when they carry everything or the moment of the update."""
    if not layout.copies:
        return 0.0
    stamped = {name for name, field in layout.fields.items() if field.automatic == "touched"}
    if any(copy.copy.fields is None or stamped & {*carried_names(layout, copy)} for copy in layout.copies):
        return 1.0
    return 1.0 if use.follows is None else use.follows


def _looked_up(main: Trace) -> Touch:
    return Touch(main, main.primary, Units(read_units(main.size, consistent=True)))


def _done(
    written: Iterable[tuple[Trace, float]], kind: str, use: EntityUse, *, transactional: bool
) -> list[Touch]:
    """The units of writing these, each to its share; where the condition fails, only those of the table."""
    found = []
    for trace, share in written:
        often = trace.count * share
        if not often:
            continue
        units = Units(write=write_units(trace.size, transactional=transactional) * often)
        found.append(Touch(trace, trace.primary, units))
        for key in trace.keys:
            if key.index is not None:
                rows = _rows(kind, key.index, use) * use.present.get(key.index.name, 1.0) * (1 - use.fails)
                row = write_units(trace.row_size(key.index), transactional=transactional)
                found.append(Touch(trace, key, Units(write=rows * row * often)))
    return found


def _rows(kind: str, index: Index, use: EntityUse) -> float:
    """How many rows of an index one write of an item that is in it touches."""
    if kind != "update":
        return 1.0
    moved = use.moved(index.name)
    return 2 * moved + (0.0 if index.projection == "KEYS_ONLY" else 1 - moved)
