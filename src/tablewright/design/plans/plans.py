"""Plans: what an access pattern reads, from which table or index, by which key.

Pure data. A plan contains no values: with a pattern's parameters it becomes a request (see `access`). Checks, cost
estimates and documentation read plans without running them. `patterns` makes the plan of a pattern.

The settings of a pattern, its class variables, are a class of their own, so that a plan can name its pattern without
importing `patterns`.

Read attributes are the attributes of an item that a pattern needs to return it: the returned fields, and what decoding
looks at, which is the type, the expiry, the schema version, the values that encrypted fields are bound to, and the mark
of copies. An index must project them.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, ClassVar, Literal, dataclass_transform, get_args, get_origin

from pydantic import Field, PrivateAttr
from pydantic._internal._model_construction import ModelMetaclass  # pydantic has no public name for it

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import ArgumentModel, suggestion
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.markers import Encrypted, Unique
from tablewright.design.fields.rates import Rate
from tablewright.design.indexes import Index, VectorIndex
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import (
    KEPT,
    OWNER,
    SCHEMA_VERSION,
    FieldLayout,
    KeyLayout,
    Layout,
    LockLayout,
)
from tablewright.design.plans.filters import Filter
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.problems import Problem
from tablewright.design.tables import Table
from tablewright.errors import DesignError

_FORMER = {
    "newest_first": "descending",
    "items": "expected_items",
    "reverse": "descending",
    "limit": "page_size",
}
"""Settings that had another name, or have it in other libraries."""


def _unknown_setting(pattern: str, setting: str, value: object, settings: Iterable[str]) -> str:
    if setting in _FORMER:
        return f"{pattern} has {setting} = {value!r}; write {_FORMER[setting]} = {value!r}"
    hint = suggestion(
        setting, sorted(known for known in settings if not known.startswith("_")), "the settings are"
    )
    stop = "" if hint.endswith("?") else "."
    written = f"{pattern} has {setting} = {value!r}, which is not a setting"
    return f"{written}; {hint}{stop} A parameter has a type: {setting}: str"


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field, PrivateAttr))
class PatternType(ModelMetaclass):
    """The type of every pattern class: `Design` takes a list of patterns by it, and type checkers their parameters."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **arguments: Any) -> Any:
        """Reject settings that do not exist; pydantic would only say that an annotation is missing."""
        settings: set[str] = next(
            (base.__class_vars__ for base in bases if hasattr(base, "__class_vars__")), set()
        )
        annotated = namespace.get("__annotations__", {})
        for variable, value in namespace.items() if settings else ():
            if (
                variable.startswith("_")
                or variable in settings
                or variable in annotated
                or any(hasattr(base, variable) for base in bases)
            ):
                continue
            if value is None or isinstance(value, bool | int | float | str | tuple | list | dict):
                raise DesignError(_unknown_setting(name, variable, value, settings))
        return super().__new__(mcs, name, bases, namespace, **arguments)


class PatternSettings(ArgumentModel, metaclass=PatternType):
    """The settings of an access pattern."""

    __argument_kind__ = "parameter"

    key: ClassVar[str | None] = None
    """The key condition, as a design document writes it."""
    index: ClassVar[str | None] = None
    """The index to read; if there is a key condition, it is found by the attributes in it."""
    filter: ClassVar[str | Condition | bool | None] = None
    """Which of the items to return: a DynamoDB filter expression over field names, with the pattern's parameters as
    `{name}`, or a condition in Python, with `fields.parameter("name")`. (A type checker sees a condition as a bool.)
    """
    fields: ClassVar[tuple[str, ...]] = ()
    """The fields to read; empty is all of them."""
    descending: ClassVar[bool] = False
    """Whether items are returned in descending order of the sort key: the latest, or the highest, first."""
    consistent: ClassVar[bool] = False
    page_size: ClassVar[int | None] = None
    """The number of entities in a page, unless a run gives a `limit`."""
    cursor_ignores: ClassVar[tuple[str, ...]] = ()
    """Parameters that may have another value on the next page, such as the current time."""
    rate: ClassVar[Rate | None] = None
    """How often it runs; used for capacity, cost and heat."""
    expected_items: ClassVar[int | None] = None
    """The number of items that one run is expected to return; used for capacity and cost."""
    suppress: ClassVar[Mapping[str, str]] = {}
    """Findings that are known and accepted: `{"TW303": "the reason"}`."""


Kind = Literal["get", "find", "query", "scan", "batch", "nearest"]


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
        if not layout.copies or isinstance(self.index, VectorIndex):  # copies have no vectors
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
    annotation = str if info is None else plain_type(info.annotation)[0]
    if kind == "batch" and get_origin(annotation) in (list, tuple, set):
        return plain_type(get_args(annotation)[0])[0]
    return annotation


def parameter_field(plan: Plan, name: str) -> FieldLayout:
    """The entity field of the same name, with its markers; otherwise a field of the parameter's own type."""
    for layout in plan.layouts:
        if name in layout.fields:
            return layout.fields[name]
    return FieldLayout(name, name, parameter_type(plan.pattern, plan.kind, name), False)


def returned_fields(plan: Plan, layout: Layout) -> list[FieldLayout]:
    """The fields of an entity that a pattern returns: its `fields`, those of the copies that it reads, or all."""
    names = plan.pattern.fields or _copied_fields(plan, layout) or tuple(layout.fields)
    return [layout.fields[name] for name in names if name in layout.fields]


def _copied_fields(plan: Plan, layout: Layout) -> tuple[str, ...]:
    """The fields of the copies that a pattern reads, if none of the copies has all fields."""
    if not plan.reads_copies(layout):
        return ()
    read = [copy.copy.fields for copy in layout.copies if any(key.index is plan.index for key in copy.keys)]
    return () if None in read else tuple(dict.fromkeys(name for names in read for name in names or ()))


def needed_attributes(plan: Plan, layout: Layout) -> tuple[str, ...]:
    """The attributes without which a pattern cannot return the entity, or would return the wrong items."""
    return tuple(dict.fromkeys(_needed(plan, layout)))


def projected_attributes(plan: Plan) -> tuple[str, ...]:
    """The attributes that a pattern with `fields` requests: those it needs, the keys, and the marks that are stored."""
    table, index = plan.table, plan.index
    needed = [name for layout in plan.layouts for name in needed_attributes(plan, layout)]
    marks = [table.discriminator, *([table.ttl] if table.ttl else []), OWNER, KEPT]
    stored = [name for name in marks if index is None or index.holds(table, name)]
    return tuple(dict.fromkeys([*needed, *table.key, *(index.key if index else ()), *stored]))


def lacking_attributes(plan: Plan, layout: Layout) -> list[str]:
    """The needed attributes that the index of a pattern does not contain.

    DynamoDB completes a row of a local index from the table when the attributes are named, so `fields` are never
    missing there; a filter sees only what the index contains.
    """
    index = plan.index
    if index is None:
        return []
    filtered = _stored(layout, plan.filter.fields if plan.filter else ())
    completed = index.local and bool(plan.pattern.fields) and not layout.upcasts
    names = [*filtered, *(() if completed else needed_attributes(plan, layout))]
    return [name for name in dict.fromkeys(names) if not index.holds(plan.table, name)]


def _needed(plan: Plan, layout: Layout) -> Iterator[str]:
    table = plan.table
    for field in returned_fields(plan, layout):
        yield field.stored
        encrypted: Encrypted | None = field.marker(Encrypted)
        yield from _stored(layout, encrypted.context if encrypted else ())
    if layout.type_name or any(copy.copy.type for copy in layout.copies):
        yield table.discriminator
    if table.ttl is not None and layout.field_stored_as(table.ttl):
        yield table.ttl
    if layout.upcasts:
        yield SCHEMA_VERSION
    if _may_meet_dependents(plan, layout):
        yield OWNER


def _may_meet_dependents(plan: Plan, layout: Layout) -> bool:
    """Whether copies or locks of the entity are in the index: a read must distinguish them from the entity."""
    index = plan.index
    if index is None or isinstance(index, VectorIndex):  # copies and locks have no vectors
        return False
    if copy_keys(layout, index):
        return True
    return bool(layout.marked(Unique)) and set(index.key) <= set(plan.table.key)


def _stored(layout: Layout, names: Iterable[str]) -> list[str]:
    return [layout.fields[name].stored for name in names if name in layout.fields]
