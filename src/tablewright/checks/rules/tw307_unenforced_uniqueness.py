"""A pattern finds one item by a value that need not be unique.

An index does not enforce uniqueness, and reading before writing is a race: two writers find the name free, and both
write it. `Unique` writes a lock item in the same transaction; if the value is taken, the error names the field.

    email: Annotated[str, fields.Unique()]

Generated ids (UUID, ULID) are unique already. For a field that only looks like an id it is a note.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Unique
from tablewright.design.layouts.field_values import is_generated, is_identity, type_name
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.plans.plans import Plan

CODE = "TW307"
TITLE = "Uniqueness that is not enforced"

_NAMES = {"email", "mail", "username", "nickname", "nick", "handle", "slug", "login", "phone"}


def check(design: Design) -> Iterator[Finding]:
    """`Find` patterns, and queries by fields that are usually unique, without a lock."""
    found = set()
    for plan in design.plans:
        for layout in plan.layouts if plan.index is not None else ():
            fields = _looked_up(plan, layout)
            claimed = plan.kind == "find" or (len(fields) == 1 and _is_unique_by_name(fields[0]))
            place = f"{layout.entity.__name__}.{fields[-1].name}" if fields else ""
            if fields and claimed and place not in found and not _is_unique(fields, layout):
                found.add(place)
                yield _finding(plan, layout, fields, place)


def _looked_up(plan: Plan, layout: Layout) -> list[FieldLayout]:
    """The fields with an equality condition."""
    key = layout.key_for(plan.index)
    given = {clause.attribute for clause in plan.clauses if clause.operator == "="}
    names = [
        part.name
        for attribute, template in (key.parts if key else ())
        for part in (template.fields if attribute in given else ())
        if not part.is_part
    ]
    return [layout.fields[name] for name in dict.fromkeys(names) if name in layout.fields]


def _is_unique(fields: list[FieldLayout], layout: Layout) -> bool:
    names = {field.name for field in fields}
    if set(layout.primary.names) <= names:
        return True
    locks = [field.marker(Unique) for field in fields]
    if any(lock is not None and set(lock.scope) <= names for lock in locks):
        return True
    return any(is_generated(field, layout) for field in fields)


def _is_unique_by_name(field: FieldLayout) -> bool:
    return bool(_NAMES & {field.name.replace("_", ""), *field.name.split("_")})


def _finding(plan: Plan, layout: Layout, fields: list[FieldLayout], place: str) -> Finding:
    names = " and ".join(field.name for field in fields)
    by_id = any(is_identity(field, layout) for field in fields)
    return Finding(
        CODE,
        "info" if by_id else "warning",
        place,
        f"{plan.name} finds one {layout.entity.__name__} by {names} in {plan.index.name if plan.index else ''}, "
        "but the value need not be unique: an index does not enforce it, and reading before writing is a race",
        _fix(fields[-1]),
        layout.entity,
    )


def _fix(field: FieldLayout) -> str:
    if field.markers:
        return f"add fields.Unique() to the markers of {field.name}"
    return f"{field.name}: Annotated[{type_name(field.annotation)}, fields.Unique()]"
