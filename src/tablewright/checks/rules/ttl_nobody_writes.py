"""A table has a TTL attribute that no entity writes, or an entity a `Ttl` that its table does not look at.

Either way nothing expires. The names have to agree: the table's `ttl` is the stored name of the field. A `Ttl` on
another attribute is refused when the class is defined, or reported here for tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW203"
TITLE = "TTL that nobody writes"


def check(design: Design) -> Iterator[Finding]:
    """Tables whose TTL attribute is no entity's field."""
    yield from problems(design, CODE)
    for table in design.tables:
        entities = design.entities_of(table)
        if table.ttl and entities and not any(one.layout.field_stored_as(table.ttl) for one in entities):
            yield Finding(
                CODE,
                "warning",
                table.name,
                f"{table.name} expires items by {table.ttl}, which no entity has: nothing expires",
                "add the field to an entity, or take ttl from the table",
            )
