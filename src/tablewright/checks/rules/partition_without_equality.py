"""A pattern asks something other than equality of a partition key.

A partition is found by the hash of its key: there is no order between partitions, hence no prefix, no range, no "all
of them". Put what is searched by prefix into a sort key, under a partition key that is known. Refused when the class is
defined, or reported here for tables declared with `literal=True`.

    key = "begins_with(accountPath, {path})"                           # refused
    key = "rootAccountId = {root} AND begins_with(accountPath, {path})"   # an index with both
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, problems
from tablewright.design.designs import Design

CODE = "TW301"
TITLE = "Partition key asked for more than equality"


def check(design: Design) -> Iterator[Finding]:
    """What the language complained of."""
    return problems(design, CODE)
