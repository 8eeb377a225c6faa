"""The parameters of a pattern and its key do not match.

The key needs a value that is not a parameter, or neither the key nor the filter uses a parameter. A `Get` needs the
whole primary key, including the sort key, and cannot read an index. Such a pattern raises `DesignError` when the class
is defined; for tables declared with `literal=True` it is reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW005"
TITLE = "Parameters that do not match the key"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
