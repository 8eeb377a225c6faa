"""Coverage: the values that some entities must have, so that every sparse index and every pattern has a sample.

For a pattern these are the constants in its key condition, the condition of the sparse index, the fields of the key and
of the filter, and the defaults of its parameters: `PublicStartups` needs a startup that is public and active.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.conditions import Condition
from tablewright.design.keys.keys import Sparse
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.compared_values import allowed
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.plans.filter_text import parse_filter
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan, copy_keys
from tablewright.generate.samples.filter_demands import PRESENT, demands

Required = dict[str, Any]
"""The values that fields must have; `PRESENT` is any value but None."""


def required_values(design: Design, entity: type[Entity]) -> list[Required]:
    """What entities of a class must have: each member of the list is for one entity."""
    layout = entity.layout
    sparse = [key for key in _keys(layout) if key.sparse is not None]
    found = [_of_key(layout, key) for key in sparse]
    found += [absent for key in sparse if (absent := _outside(layout, key))]
    for plan in design.plans:
        if layout in plan.layouts:
            found += _of_plan(plan, layout)
    merged: list[Required] = []
    for each in sorted(found, key=len, reverse=True):
        fitting = next((one for one in merged if _agree(one, each)), None)
        if fitting is None:
            merged.append(dict(each))
        else:
            fitting.update(
                {name: value for name, value in each.items() if fitting.get(name, PRESENT) is PRESENT}
            )
    return [each for each in merged if each] or [{}]


def _keys(layout: Layout) -> Iterator[KeyLayout]:
    yield from layout.indexes
    for copy in layout.copies:
        yield from copy.indexes


def _of_plan(plan: Plan, layout: Layout) -> list[Required]:
    own = layout.key_for(plan.index)
    keys = [*([own] if own else []), *copy_keys(layout, plan.index)]
    filtered = _of_filter(plan, layout)
    if plan.kind == "scan":
        return [filtered] if filtered else []
    return [
        _of_key(layout, key) | constants | filtered
        for key in keys
        if (constants := _constants(layout, dict(key.parts), plan.clauses)) is not None
    ]


def _of_key(layout: Layout, key: KeyLayout) -> Required:
    """What an entity needs to have that key."""
    needed: Required = {name: PRESENT for name in key.names if name in layout.fields}
    return needed | (_of_condition(layout, key.sparse) if key.sparse else {})


def _outside(layout: Layout, key: KeyLayout) -> Required:
    """What keeps an entity out of a sparse index: an optional field of its condition is absent. Empty if none is."""
    assert key.sparse is not None
    if isinstance(key.sparse.when, Mapping):
        return {}
    names = (name for name in key.sparse.names if name in layout.fields and layout.fields[name].optional)
    return dict.fromkeys(list(names)[:1])


def _of_condition(layout: Layout, sparse: Sparse) -> Required:
    """What an entity needs to meet the condition; of computed fields that is not known."""
    if isinstance(sparse.when, Mapping):
        given = {name: value for name, value in sparse.when.items() if name in layout.fields}
        return {name: _member(layout, name, value) for name, value in given.items()}
    names = (name for name in sparse.names if name in layout.fields)
    return {name: True if _type(layout, name) is bool else PRESENT for name in names}


def _constants(
    layout: Layout, templates: Mapping[str, Template], clauses: tuple[KeyClause, ...]
) -> Required | None:
    """The fields whose values a key condition gives as text; None if the key never matches the condition."""
    found: Required = {}
    for clause in clauses:
        template, given = templates.get(clause.attribute), clause.templates[0]
        if template is None or not clause.may_match(template):
            return None
        if clause.operator == "=" and given.is_constant and not template.is_constant:
            parsed = template.parse(given.text)
            if parsed is None:
                return None
            found |= {name: _member(layout, name, text) for name, text in parsed.items()}
    return found


def _of_filter(plan: Plan, layout: Layout) -> Required:
    given = plan.pattern.filter
    if given is None:
        return {}
    condition = parse_filter(given) if isinstance(given, str) else given
    if not isinstance(condition, Condition):
        return {}
    found: Required = {}
    for name, value in demands(condition, _defaults(plan)):
        field = layout.fields.get(name)
        if (
            field is not None
            and (value is not None or field.optional)
            and found.get(name, PRESENT) is PRESENT
        ):
            found[name] = value if value is PRESENT else _member(layout, name, value)
    return found


def _defaults(plan: Plan) -> Required:
    """The defaults of the parameters; `PRESENT` for those without one."""
    fields = plan.pattern.model_fields
    return {name: PRESENT if info.is_required() else info.default for name, info in fields.items()}


def _member(layout: Layout, name: str, value: Any) -> Any:
    """The member of an enum with that value; other values as they are."""
    kind = _type(layout, name)
    if isinstance(kind, type) and issubclass(kind, Enum) and not isinstance(value, Enum):
        return next((member for member in kind if str(member.value) == str(value)), value)
    if kind is int and isinstance(value, str):
        return int(value)
    known = allowed(kind)
    return next((each for each in known if str(each) == str(value)), value) if known else value


def _type(layout: Layout, name: str) -> Any:
    field = layout.fields.get(name)
    return plain_type(field.annotation)[0] if field else None


def _agree(one: Required, other: Required) -> bool:
    """Whether one entity can have both."""
    return all(
        value == one[name] or (PRESENT in (value, one[name]) and None not in (value, one[name]))
        for name, value in other.items()
        if name in one
    )
