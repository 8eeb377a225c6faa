"""A template, a marker, a copy or a pattern names a field that the entity does not have.

The key could never be rendered, the field never be returned. A class like that is refused when it is defined; in a
table declared with `literal=True` it is reported here.

    class Order(Entity, table=orders):
        order_id: str
        keys = Keys(primary="ORDER#{orderid}")     # refused: did you mean order_id?
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW003"
TITLE = "Field that does not exist"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
