"""A pattern can never return its entity.

The entity has no key in the index that the pattern reads, or writes other keys there than the pattern reads. Such a
pattern raises `DesignError` when the class is defined; for tables declared with `literal=True` it is reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW006"
TITLE = "Entity that a pattern can never return"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
