"""A range ends before the last items that it means.

Where the sort key goes on behind a time, `{at}#{id}`, every key of the last moment is greater than the moment alone:
`BETWEEN {start} AND {end}` leaves those out, in silence. Let the end reach over them.

    key = "PK = ROOM#{room} AND SK BETWEEN {start} AND {end}#~"       # ~ sorts behind letters and digits
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan

CODE = "TW308"
TITLE = "Range that loses its last items"


def check(design: Design) -> Iterator[Finding]:
    """Ranges whose end is shorter than the keys at the end."""
    for plan in design.plans:
        for clause in plan.clauses:
            following = _following(plan, clause) if clause.operator in ("BETWEEN", "<=") else ""
            if following:
                end = clause.templates[-1].text
                yield Finding(
                    CODE,
                    "warning",
                    plan.name,
                    f"{plan.name} asks for {clause}, but behind {end} the keys go on: those at its end are left out",
                    f"let the end reach over them: {end}{following[0]}~",
                    plan.pattern,
                )


def _following(plan: Plan, clause: KeyClause) -> str:
    """The text that follows, in a key, what the range ends with."""
    end = clause.templates[-1]
    for layout in plan.layouts:
        key = layout.key_for(plan.index)
        written = dict(key.parts).get(clause.attribute) if key else None
        if written is not None and _goes_on(end, written):
            return str(written.parts[len(end.parts)])
    return ""


def _goes_on(end: Template, written: Template) -> bool:
    if len(written.parts) <= len(end.parts) or not isinstance(end.parts[-1], TemplateField):
        return False
    return isinstance(written.parts[len(end.parts)], str)
