"""A key is made of a list, a boolean, an object, or another type that no key can hold.

DynamoDB's keys are text, numbers and binary. An item has one value for an index key, so a list cannot put it under each
of its elements: declare a `Copy(each=...)`. A boolean has no spelling in a key: use `Sparse(..., when="is_open")`, or
an enum. Refused when the class is defined, or reported here for tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW101"
TITLE = "Key of a type that no key can hold"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
