"""Plans: what an access pattern reads, from which table or index, by which key.

Pure data. A plan contains no values: with a pattern's parameters it becomes a request (see `access`). Checks, cost
estimates and documentation read plans without running them. `patterns.plan_compiler` makes the plan of a pattern.

Pattern parameters: their types, and the entity fields of the same name.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Literal, get_args, get_origin

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import plain_type
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout, LockLayout
from tablewright.design.plans.filters import Filter
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.pattern_settings import PatternSettings
from tablewright.design.problems import Problem
from tablewright.design.tables.tables import Index, Table

Kind = Literal["get", "find", "query", "scan", "batch"]


@dataclass(frozen=True, slots=True)
class Plan:
    """One access pattern, compiled."""

    pattern: type[PatternSettings]
    kind: Kind
    layouts: tuple[Layout, ...]
    """The layouts of the entities it may return."""
    table: Table
    index: Index | None
    clauses: tuple[KeyClause, ...]
    problems: tuple[Problem, ...]
    """What cannot work. Always empty unless the table is declared literally."""
    filter: Filter | None = None
    lock: LockLayout | None = None
    """The lock that a `Get` reads first, to find the entity that owns it."""

    @property
    def name(self) -> str:
        """The name of the pattern."""
        return self.pattern.__name__

    @property
    def description(self) -> str:
        """The first line of the pattern's docstring."""
        return (self.pattern.__doc__ or "").strip().partition("\n")[0]

    @property
    def partition_clauses(self) -> tuple[KeyClause, ...]:
        """The clauses on partition key attributes."""
        partition = self.index.partition if self.index else (self.table.partition,)
        return tuple(clause for clause in self.clauses if clause.attribute in partition)

    def reads_copies(self, layout: Layout) -> bool:
        """Whether it finds an entity by its copies: the key condition fits a copy better than the entity's own key."""
        if not layout.copies:
            return False
        main = layout.key_for(self.index)
        own = Fit.NONE if main is None else fit(main, self.clauses)
        copies = (fit(key, self.clauses) for key in copy_keys(layout, self.index))
        return own is Fit.NONE or max(copies, default=Fit.NONE) > own


class Fit(IntEnum):
    """How well a key condition fits the key of an entity or of a copy."""

    NONE = 0
    """It never matches."""
    TEXT = 1
    """It may match, as far as the literal text of the templates shows."""
    FORM = 2
    """It has fields and literal text where the key has them."""
    NAMES = 3
    """It is written as the key is, with the same field names."""


def fit(key: KeyLayout, clauses: Iterable[KeyClause]) -> Fit:
    """How well clauses fit a key: as well as the clause that fits least."""
    templates = dict(key.parts)
    return min((_fit(clause, templates[clause.attribute]) for clause in clauses), default=Fit.NAMES)


def _fit(clause: KeyClause, template: Template) -> Fit:
    if clause.has_text_of(template):
        return Fit.NAMES
    if clause.has_form_of(template):
        return Fit.FORM
    return Fit.TEXT if clause.may_match(template) else Fit.NONE


def lock_read(kind: Kind, layouts: tuple[Layout, ...], clauses: tuple[KeyClause, ...]) -> LockLayout | None:
    """The lock that a `Get` reads: its key condition fits the lock's key, and not the entity's own."""
    if kind != "get" or len(layouts) != 1 or not clauses:
        return None
    (layout,) = layouts
    fitting = [lock for lock in layout.locks if fit(lock.key, clauses) >= Fit.FORM]
    return fitting[0] if fitting and fit(layout.primary, clauses) < Fit.FORM else None


def may_match(key: KeyLayout, clauses: Iterable[KeyClause]) -> bool:
    """Whether keys of this layout can match all clauses, as far as the literal text of the templates shows."""
    templates = dict(key.parts)
    return all(clause.may_match(templates[clause.attribute]) for clause in clauses)


def copy_keys(layout: Layout, index: Index | None) -> list[KeyLayout]:
    """The keys of an entity's copies in the table (None) or in an index."""
    if index is None:
        return [copy.primary for copy in layout.copies]
    return [key for copy in layout.copies for key in copy.indexes if key.index is index]


def parameter_type(pattern: type[PatternSettings], kind: Kind, name: str) -> Any:
    """The type of a parameter; for a batch, of the elements of its list; `str` if there is no such parameter."""
    info = pattern.model_fields.get(name)
    found = str if info is None else plain_type(info.annotation)[0]
    if kind == "batch" and get_origin(found) in (list, tuple, set):
        return plain_type(get_args(found)[0])[0]
    return found


def parameter_field(plan: Plan, name: str) -> FieldLayout:
    """The entity field of the same name, with its markers; otherwise a field of the parameter's own type."""
    for layout in plan.layouts:
        if name in layout.fields:
            return layout.fields[name]
    return FieldLayout(name, name, parameter_type(plan.pattern, plan.kind, name), False)
