"""One attribute would have to hold two different values.

- A field is stored under the name of a key attribute whose template gives another value. Give the field another alias,
  or make the template that field.
- The key of an index is sparse by one field, but its attribute is another field, which is always stored: the item
  never leaves the index.
- Two indexes share an attribute but have different templates for it: the item is missing from one of them.

Such a class raises `DesignError` when the class is defined; for tables declared with `literal=True` it is reported
here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW004"
TITLE = "Attribute with two values"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
