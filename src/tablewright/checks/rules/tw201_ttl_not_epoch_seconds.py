"""A table has a TTL attribute that does not hold seconds since 1970.

DynamoDB's TTL reads a number of epoch seconds. It ignores a string, such as an ISO timestamp, without an error, and
nothing is ever deleted; milliseconds mean a date tens of thousands of years ahead. Store an `int` besides the string,
and let the library set it:

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
    """TTL fields whose type or name is not that of epoch seconds."""
    for entity in design.entities:
        table = entity.layout.table
        field = entity.layout.field_stored_as(table.ttl) if table.ttl else None
        reason = _reason(field) if field else None
        if field and reason:
            yield Finding(
                CODE,
                "error",
                f"{entity.__name__}.{field.name}",
                f"{table.name} expires items by {table.ttl}, which is {reason}",
                "store seconds since 1970: Annotated[int, fields.Ttl(after=..., of=...)]",
                entity,
            )


def _reason(field: FieldLayout) -> str | None:
    if field.annotation is not int:
        kind = getattr(field.annotation, "__name__", str(field.annotation))
        return f"a {kind} and not a number: DynamoDB ignores it, and nothing expires"
    if field.name.split("_")[-1] in _MILLISECONDS:
        return "in milliseconds: that is tens of thousands of years ahead"
    return None
