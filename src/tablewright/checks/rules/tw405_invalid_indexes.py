"""DynamoDB rejects a table because of its indexes.

A table has at most 5 local and 20 global indexes. (AWS raises the number of global indexes on request; suppress the
finding with the number that your account allows.) All lists of projected attributes together have at most 100 names. A
local index has the partition key of its table and a sort key of its own, and needs a table with a sort key.

Overload one index with the keys of several entities: `Keys(..., GSI1=("ROLE#{role}", "USER#{user_id}"))`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.indexes import Index
from tablewright.design.tables import Table
from tablewright.dynamodb.limits import MAX_PROJECTED

CODE = "TW405"
TITLE = "Indexes that DynamoDB rejects"

_MOST_LOCAL = 5
_MOST_GLOBAL = 20


def check(design: Design) -> Iterator[Finding]:
    """Tables with too many indexes or projected attributes, and local indexes with an invalid key."""
    for table in design.tables:
        yield from _numbers(table)
        for index in table.indexes:
            if index.local and (why := _local_problem(table, index)):
                fix = "use the partition key of the table and a sort key, or make the index global"
                yield Finding(CODE, "error", f"{table.name}.{index.name}", why, fix)


def _numbers(table: Table) -> Iterator[Finding]:
    overload = "let several entities share an index: give each its own key prefix in it"
    for kind, local, most in (("local", True, _MOST_LOCAL), ("global", False, _MOST_GLOBAL)):
        count = sum(index.local == local for index in table.indexes)
        if count > most:
            why = f"{table.name} has {count} {kind} indexes, and DynamoDB allows {most}"
            yield Finding(CODE, "error", table.name, why, overload)
    lists = [index.projection for index in table.all_indexes if not isinstance(index.projection, str)]
    projected = sum(map(len, lists))
    if projected > MAX_PROJECTED:
        why = f"the indexes of {table.name} name {projected} projected attributes; DynamoDB allows {MAX_PROJECTED}"
        yield Finding(CODE, "error", table.name, why, 'use projection="ALL" or "KEYS_ONLY" in one of them')


def _local_problem(table: Table, index: Index) -> str:
    if table.sort is None:
        return f"{index.name} is a local index of {table.name}, which has no sort key"
    if index.partition != (table.partition,):
        named = ", ".join(index.partition)
        return f"the local index {index.name} has the partition key {named}; that of {table.name} is {table.partition}"
    if len(index.sort) != 1:
        return (
            f"the local index {index.name} of {table.name} has {len(index.sort)} sort key attributes, not one"
        )
    return ""
