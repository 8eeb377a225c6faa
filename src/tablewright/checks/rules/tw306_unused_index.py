"""No pattern reads an index, or searches a vector index.

Every write of an item in the index costs a second write, and the copy is stored, without use. Remove the index, or
declare the pattern that reads it.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.indexes import VectorIndex

CODE = "TW306"
TITLE = "Unused index"


def check(design: Design) -> Iterator[Finding]:
    """The indexes that no plan reads, in a design that has patterns."""
    used = {plan.index for plan in design.plans}
    for table in design.tables:
        for index in table.all_indexes:
            if design.patterns and index not in used:
                reads = "searches the vector" if isinstance(index, VectorIndex) else "reads the"
                yield Finding(
                    CODE,
                    "warning",
                    f"{table.name}.{index.name}",
                    f"no pattern {reads} index {index.name} of {table.name}, but every write pays for it",
                    "remove it, or declare the pattern that needs it",
                )
