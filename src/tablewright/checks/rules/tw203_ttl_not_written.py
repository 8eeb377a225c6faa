"""A table has a TTL attribute that no entity writes, or an entity has a `Ttl` field that is not the TTL of its table.

In both cases nothing expires. The `ttl` of the table must be the stored name of the field. A `Ttl` on another attribute
raises `DesignError` when the class is defined; for tables declared with `literal=True` it is reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW203"
TITLE = "TTL attribute that no entity writes"


def check(design: Design) -> Iterator[Finding]:
    """Tables whose TTL attribute is not a field of any entity."""
    yield from recorded_problems(design, CODE)
    for table in design.tables:
        entities = design.entities_of(table)
        if table.ttl and entities and not any(one.layout.field_stored_as(table.ttl) for one in entities):
            yield Finding(
                CODE,
                "warning",
                table.name,
                f"{table.name} expires items by {table.ttl}, which no entity has: nothing expires",
                "add the field to an entity, or remove ttl from the table",
            )
