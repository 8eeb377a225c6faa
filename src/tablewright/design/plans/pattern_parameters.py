"""Pattern parameters: their types, and the entity fields of the same name."""

from typing import Any, get_args, get_origin

from tablewright.design.fields.annotations import plain_type
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.plans.pattern_settings import PatternSettings
from tablewright.design.plans.plans import Kind, Plan


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
