"""A pattern reads an index that does not contain the fields it returns.

An index contains its key, the key of the table, and the attributes it projects. A field that is not projected is
missing in the result: reading the entity fails, or the field has its default. Project the field, name the `fields` that
the pattern needs, or read the keys from the index and the items from the table.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.plans import Plan

CODE = "TW305"
TITLE = "Index without the fields that are returned"


def check(design: Design) -> Iterator[Finding]:
    """Plans that return fields which their index does not contain."""
    for plan in design.plans:
        if plan.index is not None:
            for layout in plan.layouts:
                missing = _missing(plan, layout)
                if missing:
                    entity = layout.entity.__name__
                    yield Finding(
                        CODE,
                        "error",
                        plan.name,
                        f"{plan.name} returns {entity} from {plan.index.name}, which lacks {', '.join(missing)}",
                        f"add to its projection: {', '.join(missing)}; or set fields in the pattern",
                        plan.pattern,
                    )


def _missing(plan: Plan, layout: Layout) -> list[str]:
    requested = [layout.fields[name].stored for name in plan.pattern.fields if name in layout.fields]
    stored = requested or [field.stored for field in layout.fields.values()]
    if layout.type_name:
        stored = [*stored, plan.table.discriminator]
    return [name for name in stored if plan.index is not None and not plan.index.holds(plan.table, name)]
