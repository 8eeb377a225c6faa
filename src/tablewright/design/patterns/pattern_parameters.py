"""Parameters of patterns, seen as the fields that they stand for."""

from typing import Any, get_args, get_origin

from tablewright.design.layouts.field_values import plain_type
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.patterns.plans import Plan


def parameter_type(plan: Plan, name: str) -> Any:
    """The type of a parameter; of its elements, where a batch takes a list; text where there is no such parameter."""
    info = plan.pattern.model_fields.get(name)
    found = str if info is None else plain_type(info.annotation)[0]
    if plan.kind == "batch" and get_origin(found) in (list, tuple, set):
        return plain_type(get_args(found)[0])[0]
    return found


def parameter_field(plan: Plan, name: str) -> FieldLayout:
    """A parameter as a field: that of the entity, when it has the same name and so its markers, or its own."""
    for layout in plan.layouts:
        if name in layout.fields:
            return layout.fields[name]
    return FieldLayout(name, name, parameter_type(plan, name), False)
