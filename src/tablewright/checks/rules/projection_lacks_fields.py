"""A pattern reads an index that does not hold what it returns.

An index holds its keys, the table's key, and what it projects. A field that it does not project comes back missing: the
entity is refused, or has a default in the place of its value. Project the field, name the `fields` that the pattern
needs, or read the keys there and the items in the table.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.plans import Plan

CODE = "TW305"
TITLE = "Projection that lacks what is returned"


def check(design: Design) -> Iterator[Finding]:
    """Plans over indexes that hold less than they return."""
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
                        f"add to its projection: {', '.join(missing)}; or name the fields the pattern returns",
                        plan.pattern,
                    )


def _missing(plan: Plan, layout: Layout) -> list[str]:
    wanted = [layout.fields[name].stored for name in plan.pattern.fields if name in layout.fields]
    stored = wanted or [field.stored for field in layout.fields.values()]
    if layout.type_name:
        stored = [*stored, plan.table.discriminator]
    return [name for name in stored if plan.index is not None and not plan.index.holds(plan.table, name)]
