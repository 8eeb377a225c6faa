"""A secret field is asked for what no secret can do.

A ciphertext is different every time it is made: no key can be made of it, it cannot be counted, and it opens only where
the values that it is bound to are known, in a copy too. What is to be found by its value is `Hashed`. Refused when the
class is defined, or reported here for tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW503"
TITLE = "Secret that cannot be kept"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
