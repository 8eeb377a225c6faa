"""Written keys: the keys that entities and their copies write to tables and indexes.

Read keys: the texts that the key condition of a pattern matches.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from tablewright.checks.key_languages import ANYTHING, Language, language
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design
from tablewright.design.indexes import Index
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import CopyLayout, FieldLayout, KeyLayout, Layout
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan, parameter_type
from tablewright.design.tables import Table


def clause_on(plan: Plan, attribute: str) -> KeyClause | None:
    """The clause of a plan on a key attribute, or None."""
    return next((clause for clause in plan.clauses if clause.attribute == attribute), None)


def read_language(plan: Plan, attribute: str, without: str = "") -> Language:
    """The texts of a key attribute that a plan matches; for a range, those with the common prefix of its ends."""
    clause = clause_on(plan, attribute)
    if clause is None:
        return ANYTHING

    def type_of(name: str) -> Any:
        return parameter_type(plan.pattern, plan.kind, name)

    match clause.operator:
        case "=":
            return language(clause.templates[0], type_of, without=without)
        case "begins_with":
            return language(clause.templates[0], type_of, prefix=True, without=without)
        case "BETWEEN":
            starts = {template.prefix for template in clause.templates}
            start = starts.pop() if len(starts) == 1 else ""
            return language(Template(start), type_of, prefix=True) if start else ANYTHING
        case _:
            return ANYTHING


@dataclass(frozen=True, slots=True)
class WrittenKey:
    """A key that an entity or one of its copies writes."""

    owner: str
    layout: Layout
    key: KeyLayout
    fields: Mapping[str, FieldLayout]

    @property
    def index(self) -> Index | None:
        """None is the primary key."""
        return self.key.index

    @property
    def place(self) -> str:
        """The name of the table, or of the index in it."""
        table = self.layout.table.name
        return table if self.index is None else f"{table}.{self.index.name}"

    @property
    def partition(self) -> tuple[tuple[str, Template], ...]:
        """The parts of the partition key."""
        count = 1 if self.index is None else len(self.index.partition)
        return self.key.parts[:count]

    @property
    def sort(self) -> tuple[tuple[str, Template], ...]:
        """The parts of the sort key."""
        return self.key.parts[len(self.partition) :]

    def fields_in(self, parts: tuple[tuple[str, Template], ...]) -> list[FieldLayout]:
        """The fields in parts of the key, each once; a name that is no field counts as a string."""
        names = dict.fromkeys(name for _, template in parts for name in template.names)
        return [self.fields.get(name) or FieldLayout(name, name, str, False) for name in names]

    def whole_fields_in(self, parts: tuple[tuple[str, Template], ...]) -> list[FieldLayout]:
        """The fields whose whole value is in the key, not only its day or its shard."""
        whole = {part.name for _, template in parts for part in template.fields if not part.is_part}
        return [field for field in self.fields_in(parts) if field.name in whole]

    def language(self, template: Template, without: str = "") -> Language:
        """The texts that one of its templates can render."""
        return language(template, self.type_of, without=without)

    def type_of(self, name: str) -> Any:
        """The type of a field; `str` if there is no such field."""
        field = self.fields.get(name)
        return str if field is None else field.annotation

    def __str__(self) -> str:
        return " / ".join(f'"{template.text}"' for _, template in self.key.parts)


def written_keys(design: Design) -> Iterator[WrittenKey]:
    """All keys that the entities of a design write."""
    for entity in design.entities:
        layout = entity.layout
        name = entity.__name__
        fields = {**layout.fields, **layout.computed}
        for key in (layout.primary, *layout.indexes):
            yield WrittenKey(name, layout, key, fields)
        for copy in layout.copies:
            for key in (copy.primary, *copy.indexes):
                yield WrittenKey(f"{name}.{copy.name}", layout, key, _with_element(layout, copy))


def keys_in(design: Design, table: Table, index: Index | None) -> list[WrittenKey]:
    """The keys in one table (index None) or in one index."""
    return [
        written
        for written in written_keys(design)
        if written.layout.table is table and written.index is index
    ]


def locks_in(design: Design, table: Table) -> list[WrittenKey]:
    """The keys of the locks whose keys the design chooses."""
    return [
        WrittenKey(
            f"the lock of {entity.__name__}.{lock.field.name}", entity.layout, lock.key, entity.layout.fields
        )
        for entity in design.entities_of(table)
        for lock in entity.layout.locks
    ]


def _with_element(layout: Layout, copy: CopyLayout) -> Mapping[str, FieldLayout]:
    fields = {**layout.fields, **layout.computed}
    each = fields.get(copy.copy.each or "")
    if each is None or copy.copy.name is None:
        return fields
    element = (*get_args(each.annotation), str)[0]
    return {**fields, copy.copy.name: FieldLayout(copy.copy.name, copy.copy.name, element, False)}
