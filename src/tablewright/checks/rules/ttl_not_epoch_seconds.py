"""A table expires items by an attribute that does not hold seconds since 1970.

DynamoDB's TTL reads a number of epoch seconds. A text, such as an ISO timestamp, is ignored in silence, and nothing is
ever deleted; milliseconds are a date in tens of thousands of years. Store an `int` beside the text, and let the library
fill it in:

    expires_at: Annotated[int, fields.Ttl(after=timedelta(days=30), of="created_at")]
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import FieldLayout

CODE = "TW201"
TITLE = "TTL that is not in epoch seconds"

_MILLISECONDS = ("ms", "millis", "milliseconds")


def check(design: Design) -> Iterator[Finding]:
    """Fields stored as the TTL attribute whose type or name says otherwise."""
    for entity in design.entities:
        table = entity.layout.table
        field = entity.layout.field_stored_as(table.ttl) if table.ttl else None
        problem = _complaint(field) if field else None
        if field and problem:
            yield Finding(
                CODE,
                "error",
                f"{entity.__name__}.{field.name}",
                f"{table.name} expires items by {table.ttl}, which is {problem}",
                "store seconds since 1970: Annotated[int, fields.Ttl(after=..., of=...)]",
                entity,
            )


def _complaint(field: FieldLayout) -> str | None:
    if field.annotation is not int:
        kind = getattr(field.annotation, "__name__", str(field.annotation))
        return f"a {kind} and not a number: it is ignored, and nothing expires"
    if field.name.split("_")[-1] in _MILLISECONDS:
        return "in milliseconds: that is tens of thousands of years ahead"
    return None
