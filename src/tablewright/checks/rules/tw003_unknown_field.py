"""A template, a marker, a copy or a pattern names a field that the entity does not have.

The key cannot be rendered, or the field cannot be returned. Such a class raises `DesignError` when the class is
defined; for tables declared with `literal=True` it is reported here.

    class Order(Entity, table=orders):
        order_id: str
        keys = Keys(primary="ORDER#{orderid}")     # DesignError: did you mean order_id?
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW003"
TITLE = "Unknown field"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
