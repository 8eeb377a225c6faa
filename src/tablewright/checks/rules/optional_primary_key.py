"""A primary key is made of a field that may be None.

An item without a primary key cannot be written. Make the field required, or make the key of other fields. Refused when
the class is defined, or reported here for tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW102"
TITLE = "Primary key that may be absent"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
