"""A pattern reads a global index with `consistent = True`.

Global indexes are updated shortly after the table, and DynamoDB rejects a consistent read of one. Read the table, or
accept eventually consistent reads. Such a pattern raises `DesignError` when the class is defined; for tables declared
with `literal=True` it is reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW302"
TITLE = "Consistent read of a global index"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
