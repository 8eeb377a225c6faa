"""A pattern's parameters and its key do not fit each other.

Either the key needs a value that is no parameter (a get without parameters reads nothing in particular), or a parameter
is used by neither key nor filter, and so has no effect on what is read. A get fixes the whole key of the table, sort
key and all, and never reads an index. Refused when the class is defined, or reported here for tables declared with
`literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW005"
TITLE = "Parameters that do not fit the key"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
