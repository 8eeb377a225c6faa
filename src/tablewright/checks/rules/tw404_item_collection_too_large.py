"""A partition of a table with a local index becomes larger than 10 GB.

In a table with a local index, the items of one partition key value and their copies in the local indexes are at most 10
GB together; then writes to them fail. A global index has no such limit, and can be added later. The size is computed
from `Expect(per_partition=..., size=...)` of the entities; if that is not declared, it is a note.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.dynamodb.limits import MAX_COLLECTION_SIZE

CODE = "TW404"
TITLE = "Item collection over 10 GB"


def check(design: Design) -> Iterator[Finding]:
    """Tables with local indexes whose largest partition is too large or of unknown size."""
    for table in design.tables:
        local = [index for index in table.indexes if index.local]
        if local:
            size = _collection(design, table, 1 + len(local))
            where = f"{table.name}.{local[0].name}"
            fix = "make the index global, or use a partition key with more values"
            if size is None:
                why = f"{table.name} has local indexes, so each of its partitions is limited to 10 GB"
                yield Finding(CODE, "info", where, why, "declare expect=Expect(per_partition=..., size=...)")
            elif size > MAX_COLLECTION_SIZE:
                why = f"the largest partition of {table.name} will have {size / 1024**3:,.0f} GB with its local indexes"
                yield Finding(CODE, "error", where, f"{why}; the limit is 10 GB", fix)


def _collection(design: Design, table: Table, copies: int) -> int | None:
    sizes = []
    for entity in design.entities_of(table):
        expect = entity.layout.expect
        if expect.per_partition is None or expect.size is None:
            return None
        sizes.append(expect.per_partition * expect.size * copies)
    return sum(sizes) if sizes else None
