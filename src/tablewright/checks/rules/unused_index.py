"""An index that no pattern reads.

Every write of an item in it costs a second write, and its copy is stored; nobody is served by it. Remove it, or declare
the pattern it is there for.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design

CODE = "TW306"
TITLE = "Index that nobody uses"


def check(design: Design) -> Iterator[Finding]:
    """The indexes that no plan names, in a design that has patterns at all."""
    used = {plan.index for plan in design.plans}
    for table in design.tables:
        for index in table.indexes:
            if design.patterns and index not in used:
                yield Finding(
                    CODE,
                    "warning",
                    f"{table.name}.{index.name}",
                    f"no pattern reads the index {index.name} of {table.name}, but every write pays for it",
                    "remove it, or declare the pattern that needs it",
                )
