"""A pattern reads a global index consistently.

Global indexes follow their table a moment later; DynamoDB refuses a consistent read of one. Read the table, or live
with the moment. Refused when the class is defined, or reported here for tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW302"
TITLE = "Consistent read of a global index"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
