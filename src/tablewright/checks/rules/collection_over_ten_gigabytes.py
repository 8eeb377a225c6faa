"""A partition of a table with a local index outgrows 10 GB.

With a local index, all items of one partition key value, and their copies in the local indexes, hold at most 10 GB
together; then writes to it are refused. A global index has no such bound, and can be added later. The size is computed
from `Expect(per_partition=..., size=...)` of the entities; where that is not said, it is a note.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table

CODE = "TW404"
TITLE = "Local index over 10 GB"

_MOST = 10 * 1024**3


def check(design: Design) -> Iterator[Finding]:
    """Tables with local indexes whose largest partition is too large, or not declared."""
    for table in design.tables:
        local = [index for index in table.indexes if index.local]
        if local:
            size = _collection(design, table, 1 + len(local))
            where = f"{table.name}.{local[0].name}"
            fix = "make the index global, or the partition key finer"
            if size is None:
                why = f"{table.name} has local indexes, so that a partition of it holds 10 GB at most"
                yield Finding(CODE, "info", where, why, "declare expect=Expect(per_partition=..., size=...)")
            elif size > _MOST:
                why = f"the largest partition of {table.name} will have {size / 1024**3:,.0f} GB with its local indexes"
                yield Finding(CODE, "error", where, f"{why}, and 10 GB is the most", fix)


def _collection(design: Design, table: Table, copies: int) -> int | None:
    sizes = []
    for entity in design.entities_of(table):
        expect = entity.layout.expect
        if expect.per_partition is None or expect.size is None:
            return None
        sizes.append(expect.per_partition * expect.size * copies)
    return sum(sizes) if sizes else None
