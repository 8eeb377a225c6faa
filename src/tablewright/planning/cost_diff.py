"""Cost difference: what became more or less expensive between two versions of a design, and why."""

from collections.abc import Iterator
from dataclasses import dataclass

from tablewright.planning.capacity_demand import Units
from tablewright.planning.cost_estimate import Estimate, Line, TableEstimate

_ROUNDING = 1e-9
"""Differences below this are rounding."""


@dataclass(frozen=True)
class Difference:
    """A pattern, a write or a table whose cost has changed."""

    what: str
    name: str
    before: float
    after: float
    why: str

    @property
    def by(self) -> float:
        """Dollars a month; negative is cheaper."""
        return self.after - self.before


def differences(before: Estimate, after: Estimate) -> tuple[Difference, ...]:
    """All differences: patterns and writes before tables, the largest first."""
    lines = sorted(_lines(before, after), key=lambda found: -abs(found.by))
    tables = sorted(_tables(before, after), key=lambda found: -abs(found.by))
    return tuple(found for found in (*lines, *tables) if abs(found.by) > _ROUNDING)


def _lines(before: Estimate, after: Estimate) -> Iterator[Difference]:
    old = {line.name: line for line in before.lines}
    new = {line.name: line for line in after.lines}
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        kind = (now or was or before.lines[0]).kind
        what = "pattern" if kind == "read" else "write"
        costs = (was.cost if was else 0.0, now.cost if now else 0.0)
        yield Difference(what, name, *costs, _why(was, now))


def _why(was: Line | None, now: Line | None) -> str:
    if was is None or now is None:
        return "new" if now else "removed"
    reasons = []
    if was.times != now.times:
        reasons.append(f"{was.times:,.0f} -> {now.times:,.0f} times")
    resources = {str(resource): units for resource, units in was.each.items()}
    others = {str(resource): units for resource, units in now.each.items()}
    for resource in dict.fromkeys((*resources, *others)):
        one, two = resources.get(resource, Units()), others.get(resource, Units())
        if one != two:
            reasons.append(f"{resource} {_shown(one)} -> {_shown(two)}")
    return "; ".join(reasons) or "prices"


def _shown(units: Units) -> str:
    parts = [f"{count:.3g} {what}" for count, what in ((units.read, "read"), (units.write, "write")) if count]
    return " + ".join(parts) or "0"


def _tables(before: Estimate, after: Estimate) -> Iterator[Difference]:
    old = {table.table.name: table for table in before.tables}
    new = {table.table.name: table for table in after.tables}
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        costs = (was.cost if was else 0.0, now.cost if now else 0.0)
        yield Difference("table", name, *costs, _why_table(was, now))


def _why_table(was: TableEstimate | None, now: TableEstimate | None) -> str:
    if was is None or now is None:
        return "new" if now else "removed"
    parts = {
        "requests": (was.request_cost, now.request_cost),
        "storage": (was.storage_cost, now.storage_cost),
        "recovery and copies": tuple(sum(extra.cost for extra in one.extras) for one in (was, now)),
    }
    changed = [f"{name} ${one:,.4f} -> ${two:,.4f}" for name, (one, two) in parts.items() if one != two]
    return "; ".join(changed)
