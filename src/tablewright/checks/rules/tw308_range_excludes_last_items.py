"""A range excludes the last items that it should contain.

If the sort key continues after a time, as in `{at}#{id}`, every key of the last time is greater than the time alone:
`BETWEEN {start} AND {end}` silently excludes those items. Extend the end of the range.

    key = "PK = ROOM#{room} AND SK BETWEEN {start} AND {end}#~"       # ~ sorts after letters and digits
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan

CODE = "TW308"
TITLE = "Range that excludes its last items"


def check(design: Design) -> Iterator[Finding]:
    """Ranges whose end is shorter than the keys."""
    for plan in design.plans:
        for clause in plan.clauses:
            following = _following(plan, clause) if clause.operator in ("BETWEEN", "<=") else ""
            if following:
                end = clause.templates[-1].text
                yield Finding(
                    CODE,
                    "warning",
                    plan.name,
                    f"{plan.name} reads {clause}, but keys continue after {end}: the last items are excluded",
                    f"extend the end: {end}{following[0]}~",
                    plan.pattern,
                )


def _following(plan: Plan, clause: KeyClause) -> str:
    """The text that follows the end of the range in a key."""
    end = clause.templates[-1]
    for layout in plan.layouts:
        key = layout.key_for(plan.index)
        written = dict(key.parts).get(clause.attribute) if key else None
        if written is not None and _continues(end, written):
            return str(written.parts[len(end.parts)])
    return ""


def _continues(end: Template, written: Template) -> bool:
    if len(written.parts) <= len(end.parts) or not isinstance(end.parts[-1], TemplateField):
        return False
    return isinstance(written.parts[len(end.parts)], str)
