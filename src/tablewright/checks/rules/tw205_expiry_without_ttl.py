"""A field says when an item expires, but DynamoDB does not delete the item then.

DynamoDB deletes expired items by one attribute of a table, a number of epoch seconds. A string such as "2025-08-08", or
an attribute that is not the `ttl` of the table, has no effect. That is right if the item must stay as history: then
every reader must compare the time with the clock. Otherwise make it a TTL.

    expires_at: Annotated[int, fields.Ttl(after=timedelta(days=30), of="created_at")]
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Ttl
from tablewright.design.layouts.layouts import FieldLayout, Layout

CODE = "TW205"
TITLE = "Expiry field without TTL"

_NAMES = {
    "expires_at",
    "expires_on",
    "expires",
    "expire_at",
    "expiry",
    "expiry_date",
    "expiration",
    "valid_until",
}


def check(design: Design) -> Iterator[Finding]:
    """Fields that are named as an expiry and are not the TTL of the table."""
    for entity in design.entities:
        layout = entity.layout
        for field in layout.fields.values():
            if field.name in _NAMES and not _is_ttl(layout, field):
                yield Finding(
                    CODE,
                    "info",
                    f"{entity.__name__}.{field.name}",
                    f"{entity.__name__} has the expiry {field.name}, but DynamoDB does not delete the item from "
                    f"{layout.table.name} then",
                    "compare it with the clock in every reader, or make it the ttl of the table, in epoch seconds",
                    entity,
                )


def _is_ttl(layout: Layout, field: FieldLayout) -> bool:
    return layout.table.ttl == field.stored or field.marker(Ttl) is not None
