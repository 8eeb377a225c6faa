"""Sort orders: the fields by which the result of a pattern is sorted, without those that its key condition fixes."""

from collections.abc import Iterator
from itertools import takewhile

from tablewright.checks.written_keys import clause_on
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.plans.plans import Plan


@dataclass(frozen=True, slots=True)
class Order:
    """How the items of one entity are sorted in the result of a pattern."""

    layout: Layout
    prefix: str
    """The literal text at the beginning of its sort keys."""
    fixed: tuple[str, ...]
    """The fields of the sort key that have one value in the whole result."""
    fields: tuple[FieldLayout, ...]
    """The other fields of the sort key, in their order."""


def orders(plan: Plan) -> list[Order]:
    """The sort order of each entity that the pattern returns."""
    keys = ((layout, layout.key_for(plan.index)) for layout in plan.layouts)
    return [_order(plan, layout, key) for layout, key in keys if key is not None]


def sort_templates(key: KeyLayout) -> tuple[tuple[str, Template], ...]:
    """The parts of a key after the partition key."""
    return key.parts[len(key.index.partition) if key.index else 1 :]


def _order(plan: Plan, layout: Layout, key: KeyLayout) -> Order:
    templates = sort_templates(key)
    fixed: list[str] = []
    fields: list[FieldLayout] = []
    for attribute, template in templates:
        count = _fixed(plan, attribute, template)
        fixed += template.names[:count]
        fields += list(_fields(layout, template.names[count:]))
    prefix = templates[0][1].prefix if templates else ""
    return Order(layout, prefix, tuple(fixed), tuple(fields))


def _fixed(plan: Plan, attribute: str, template: Template) -> int:
    """The number of fields at the beginning of the template that have one value in the result."""
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
