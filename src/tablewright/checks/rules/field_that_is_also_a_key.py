"""A field is stored under the name of a key attribute, and the key is made of something else.

Two values cannot share one attribute. Give the field another alias, or make the template the bare field. Nor can the
key of an index be sparse by one field when it is another: the attribute stays, and with it the item in the index.
Nor can two indexes that share an attribute fill it by different templates: in one of them nothing would be found.
Refused when the class is defined, or reported here for tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW004"
TITLE = "Field stored where a key is stored"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
