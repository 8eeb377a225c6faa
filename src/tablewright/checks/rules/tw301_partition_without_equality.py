"""A pattern has a condition other than equality on a partition key.

DynamoDB finds a partition by the hash of its key. Partitions have no order, so there is no prefix, no range and no list
of all partitions. Put the value that is searched by prefix into a sort key, under a known partition key. Such a pattern
raises `DesignError` when the class is defined; for tables declared with `literal=True` it is reported here.

    key = "begins_with(accountPath, {path})"                           # DesignError
    key = "rootAccountId = {root} AND begins_with(accountPath, {path})"   # an index with both
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW301"
TITLE = "Partition key without equality"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
