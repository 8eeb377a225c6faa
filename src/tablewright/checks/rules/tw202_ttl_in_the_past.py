"""A table has a TTL attribute that holds the creation time, so items expire as soon as they are written.

TTL has no duration: an item expires when the time in the attribute has passed. The time of an event or of its creation
has already passed. Store that time under another name, and use a TTL attribute of its own:

    expires_at: Annotated[int, fields.Ttl(after=timedelta(days=90), of="created_at")]
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Ttl
from tablewright.design.layouts.field_values import is_time_field
from tablewright.design.layouts.layouts import FieldLayout

CODE = "TW202"
TITLE = "TTL in the past"

_FUTURE = (
    "expire",
    "expiry",
    "expiration",
    "ttl",
    "until",
    "end",
    "due",
    "delete",
    "remove",
    "purge",
    "valid",
)


def check(design: Design) -> Iterator[Finding]:
    """TTL fields that hold a time in the past."""
    for entity in design.entities:
        table = entity.layout.table
        field = entity.layout.field_stored_as(table.ttl) if table.ttl else None
        if field and _is_past(field):
            yield Finding(
                CODE,
                "error",
                f"{entity.__name__}.{field.name}",
                f"{table.name} expires items by {table.ttl}, which holds {field.name}: that time has passed when the "
                "item is written, and DynamoDB deletes it",
                "use a separate field: Annotated[int, fields.Ttl(after=..., of=...)]",
                entity,
            )


def _is_past(field: FieldLayout) -> bool:
    if field.automatic is not None:
        return True
    marker = field.marker(Ttl)
    if marker is not None and marker.after is not None:
        return False
    words = field.name.lower().split("_")
    return is_time_field(field) and not any(word.startswith(_FUTURE) for word in words)
