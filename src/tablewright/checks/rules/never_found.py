"""A pattern reads where its entity can never be found.

The entity has no keys in the index that is read, or writes other keys there than the pattern asks for. Refused when the
class is defined, or reported here for tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW006"
TITLE = "Entity that is never found"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
