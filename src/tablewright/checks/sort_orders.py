"""Orders: by what the items are sorted that a pattern returns. What its key line fixes sorts nothing any more."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from tablewright.checks.asked_keys import clause_on
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.plans.plans import Plan


@dataclass(frozen=True, slots=True)
class Order:
    """How the items of one entity are sorted in the answer of a pattern."""

    layout: Layout
    lead: str
    """The text that its sort keys begin with."""
    fixed: tuple[str, ...]
    """The fields of the sort key that are the same in all of the answer."""
    fields: tuple[FieldLayout, ...]
    """Those that are not, the one that counts most first."""


def orders(plan: Plan) -> list[Order]:
    """One for each entity that the pattern returns."""
    keys = ((layout, layout.key_for(plan.index)) for layout in plan.layouts)
    return [_order(plan, layout, key) for layout, key in keys if key is not None]


def sort_templates(key: KeyLayout) -> tuple[tuple[str, Template], ...]:
    """The parts of a key behind those that choose the partition."""
    return key.parts[len(key.index.partition) if key.index else 1 :]


def _order(plan: Plan, layout: Layout, key: KeyLayout) -> Order:
    templates = sort_templates(key)
    fixed: list[str] = []
    fields: list[FieldLayout] = []
    for attribute, template in templates:
        count = _fixed(plan, attribute, template)
        fixed += template.names[:count]
        fields += list(_fields(layout, template.names[count:]))
    lead = templates[0][1].prefix if templates else ""
    return Order(layout, lead, tuple(fixed), tuple(fields))


def _fixed(plan: Plan, attribute: str, template: Template) -> int:
    """How many of the template's fields have one value in the answer."""
    clause = clause_on(plan, attribute)
    if clause is None or clause.operator not in ("=", "begins_with"):
        return 0
    if clause.operator == "=":
        return len(template.names)
    pairs = zip(clause.templates[0].fields, template.fields, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[1].is_part or not pair[0].is_part, pairs))


def _fields(layout: Layout, names: tuple[str, ...]) -> Iterator[FieldLayout]:
    for name in names:
        yield layout.fields.get(name) or FieldLayout(name, name, str, False)
