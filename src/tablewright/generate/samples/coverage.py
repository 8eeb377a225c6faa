"""Coverage: the values that some entities must have, so that every sparse index and every pattern has a sample.

For a pattern these are the constants in its key condition, the condition of the sparse index, the fields of the key and
of the filter, and the defaults of its parameters: `PublicStartups` needs a startup that is public and active.
Of the alternatives in a filter, the first is enough. Conditions on nested fields and on sizes demand only that the
field is present.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.conditions import (
    Between,
    Both,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Function,
    Not,
    OneOf,
    Operator,
    Size,
)
from tablewright.design.indexes import VectorIndex
from tablewright.design.keys.keys import Sparse
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.compared_values import allowed
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.plans.filter_text import parse_filter
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan, copy_keys


class _Present:
    """Any value but None."""

    def __repr__(self) -> str:
        return "PRESENT"


PRESENT = _Present()


def demands(condition: Condition, parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields in a condition, each with its value; `PRESENT` is any value but None, and None is no value.

    >>> path = FieldPath(None, ("visits",))
    >>> list(demands(Comparison(">", path, 3), {})), list(demands(Function("attribute_not_exists", path), {}))
    ([('visits', 4)], [('visits', None)])
    """
    match condition:
        case Both("AND", left, right):
            yield from demands(left, parameters)
            yield from demands(right, parameters)
        case Both(_, left, _):
            yield from demands(left, parameters)
        case Not(Function("attribute_exists", path)) | Function("attribute_not_exists", path):
            yield path.name, None
        case Comparison(operator, FieldPath(parts=(str(name),)), value):
            yield name, _compared(operator, _known(value, parameters))
        case OneOf(FieldPath(parts=(str(name),)), values):
            yield name, _known(values[0], parameters)
        case Between(FieldPath(parts=(str(name),)), low, _):
            yield name, _known(low, parameters)
        case Comparison(_, operand, _) | OneOf(operand, _) | Between(operand, _, _):
            yield from ((path.name, PRESENT) for path in _paths(operand))
        case Function(_, path, _):
            yield path.name, PRESENT
        case _:
            return


def _paths(operand: Any) -> Iterator[FieldPath]:
    if isinstance(operand, Size):
        yield operand.path
    elif isinstance(operand, FieldPath):
        yield operand


def _known(value: Any, parameters: Mapping[str, Any]) -> Any:
    """The value of an operand before a pattern runs: a constant, or the default of a parameter."""
    if isinstance(value, FilterParameter):
        return parameters.get(value.name, PRESENT)
    return PRESENT if isinstance(value, FieldPath | Size) or value is None else value


def _compared(operator: Operator, value: Any) -> Any:
    """A value for which a comparison holds."""
    if value is PRESENT or operator in ("=", "<=", ">="):
        return value
    sign = -1 if operator == "<" else 1
    if isinstance(value, bool):
        return not value if operator == "<>" else PRESENT
    if isinstance(value, int | float | Decimal):
        return value + sign
    if isinstance(value, date):
        return value + sign * timedelta(days=1)
    return PRESENT


Required = dict[str, Any]
"""The values that fields must have; `PRESENT` is any value but None."""


def required_values(design: Design, entity: type[Entity]) -> list[Required]:
    """What entities of a class must have: each member of the list is for one entity."""
    layout = entity.layout
    sparse = [key for key in _keys(layout) if key.sparse is not None]
    requirements = [_of_key(layout, key) for key in sparse]
    requirements += [absent for key in sparse if (absent := _outside(layout, key))]
    for plan in design.plans:
        if layout in plan.layouts:
            requirements += _of_plan(plan, layout)
    merged: list[Required] = []
    for requirement in sorted(requirements, key=len, reverse=True):
        fitting = next((one for one in merged if _agree(one, requirement)), None)
        if fitting is None:
            merged.append(dict(requirement))
        else:
            fitting.update(
                {name: value for name, value in requirement.items() if fitting.get(name, PRESENT) is PRESENT}
            )
    return [combined for combined in merged if combined] or [{}]


def _keys(layout: Layout) -> Iterator[KeyLayout]:
    yield from layout.indexes
    for copy in layout.copies:
        yield from copy.indexes


def _of_plan(plan: Plan, layout: Layout) -> list[Required]:
    own = layout.key_for(plan.index)
    keys = [*([own] if own else []), *copy_keys(layout, plan.index)]
    filtered = _of_filter(plan, layout)
    if isinstance(plan.index, VectorIndex):
        stored = (plan.index.attribute, *plan.index.partition)
        present = [field for name in stored if (field := layout.field_stored_as(name)) is not None]
        return [{field.name: PRESENT for field in present} | filtered]
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
        conditions = {name: value for name, value in sparse.when.items() if name in layout.fields}
        return {name: _member(layout, name, value) for name, value in conditions.items()}
    names = (name for name in sparse.names if name in layout.fields)
    return {name: True if _type(layout, name) is bool else PRESENT for name in names}


def _constants(
    layout: Layout, templates: Mapping[str, Template], clauses: tuple[KeyClause, ...]
) -> Required | None:
    """The fields whose values a key condition gives as text; None if the key never matches the condition."""
    required: Required = {}
    for clause in clauses:
        template, condition = templates.get(clause.attribute), clause.templates[0]
        if template is None or not clause.may_match(template):
            return None
        if clause.operator == "=" and condition.is_constant and not template.is_constant:
            parsed = template.parse(condition.text)
            if parsed is None:
                return None
            required |= {name: _member(layout, name, text) for name, text in parsed.items()}
    return required


def _of_filter(plan: Plan, layout: Layout) -> Required:
    declared = plan.pattern.filter
    if declared is None:
        return {}
    condition = parse_filter(declared) if isinstance(declared, str) else declared
    if not isinstance(condition, Condition):
        return {}
    required: Required = {}
    for name, value in demands(condition, _defaults(plan)):
        field = layout.fields.get(name)
        if (
            field is not None
            and (value is not None or field.optional)
            and required.get(name, PRESENT) is PRESENT
        ):
            required[name] = value if value is PRESENT else _member(layout, name, value)
    return required


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
    return next((candidate for candidate in known if str(candidate) == str(value)), value) if known else value


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
