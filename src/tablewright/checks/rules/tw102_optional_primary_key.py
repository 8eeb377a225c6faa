"""A primary key contains a field that may be None.

An item without a primary key cannot be written. Make the field required, or use other fields in the key. Such a class
raises `DesignError` when the class is defined; for tables declared with `literal=True` it is reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW102"
TITLE = "Primary key that may be absent"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
