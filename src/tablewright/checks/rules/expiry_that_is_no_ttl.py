"""A field says when an item expires, and nothing makes it so.

DynamoDB removes expired items by one attribute of a table, a number of epoch seconds. A text such as "2025-08-08"
cannot be that, and an attribute that the table does not name as its `ttl` is only read by the application. Where the
item has to stay as history, that is right: then every reader must compare the moment with the clock. Otherwise make it
a TTL.

    expires_at: Annotated[int, fields.Ttl(after=timedelta(days=30), of="created_at")]
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Ttl
from tablewright.design.layouts.layouts import FieldLayout, Layout

CODE = "TW205"
TITLE = "Expiry that is no TTL"

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
    """Fields that are called an expiry, and are not the table's."""
    for entity in design.entities:
        layout = entity.layout
        for field in layout.fields.values():
            if field.name in _NAMES and not _is_ttl(layout, field):
                yield Finding(
                    CODE,
                    "info",
                    f"{entity.__name__}.{field.name}",
                    f"{entity.__name__} says in {field.name} when it expires, but nothing removes it from "
                    f"{layout.table.name} then",
                    "compare it with the clock wherever it is read, or make it the table's ttl, in epoch seconds",
                    entity,
                )


def _is_ttl(layout: Layout, field: FieldLayout) -> bool:
    return layout.table.ttl == field.stored or field.marker(Ttl) is not None
