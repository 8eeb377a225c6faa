"""A key contains a list, a boolean, an object, or another type that cannot be part of a key.

DynamoDB keys are strings, numbers and binary values. An item has one value for an index key, so a list cannot put the
item under each of its elements: declare a `Copy(each=...)`. A boolean cannot be part of a key: use `Sparse(...,
when="is_open")`, or an enum. The condition of a `Sparse` must name values that the field can have: with
`when={"status": "opne"}` the index would be empty for ever. Such a class raises `DesignError` when the class is
defined; for tables declared with `literal=True` it is reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW101"
TITLE = "Key of an unsupported type"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
