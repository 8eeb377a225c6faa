"""A pattern reads a prefix that does not end with a delimiter.

`begins_with(SK, TYPE#{type})` with the type "trade" also matches "TYPE#tradeArchive#1". End the prefix with the text
that follows in the template: `TYPE#{type}#`. If no text follows, use equality. If the parameter is meant to be the
beginning of a value, name it so: `name_prefix`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.layouts.field_values import has_fixed_width
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.plans import Plan, parameter_type

CODE = "TW108"
TITLE = "Prefix without its delimiter"


def check(design: Design) -> Iterator[Finding]:
    """Prefixes that match longer words too."""
    for plan in design.plans:
        for clause in plan.clauses:
            fix = (
                _fix(plan, clause.attribute, clause.templates[0])
                if clause.operator == "begins_with"
                else None
            )
            if fix is not None:
                yield Finding(
                    CODE,
                    "warning",
                    plan.name,
                    f"{plan.name} reads {clause}, which also matches longer words",
                    fix,
                    plan.pattern,
                )


def _fix(plan: Plan, attribute: str, read: Template) -> str | None:
    for layout in plan.layouts:
        key = layout.key_for(plan.index)
        template = dict(key.parts).get(attribute) if key else None
        fix = _closed(plan, layout, read, template) if template else None
        if fix is not None:
            return fix
    return None


def _closed(plan: Plan, layout: Layout, read: Template, written: Template) -> str | None:
    """How to end the prefix; None if it ends with a delimiter."""
    place = len(read.parts) - 1
    last = read.parts[place]
    known = written.parts[place] if place < len(written.parts) else ""
    following = written.parts[place + 1] if place + 1 < len(written.parts) else ""
    if isinstance(last, str):
        open_end = isinstance(known, str) and known.startswith(last) and known != last and last[-1].isalnum()
        return f"write the whole text: {read.text.removesuffix(last)}{known}" if open_end else None
    if _is_closed(plan, layout, last, known):
        return None
    if isinstance(following, str) and following:
        return f"end it with the delimiter: {read.text}{following[0]}"
    return f"use equality: {read.text}; or name the parameter {last.name}_prefix"


def _is_closed(plan: Plan, layout: Layout, last: TemplateField, known: str | TemplateField) -> bool:
    if (
        "prefix" in last.name
        or last.shape
        or has_fixed_width(parameter_type(plan.pattern, plan.kind, last.name))
    ):
        return True
    field = layout.fields.get(known.name) if isinstance(known, TemplateField) else None
    return field is not None and has_fixed_width(field.annotation)
