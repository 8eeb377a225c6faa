"""ListTables: the names of all tables, in order, a page at a time."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Number, Shape, Text
from tablewright.engine.sessions import Reading
from tablewright.engine.state.catalog import CATALOG

NAME = "ListTables"
MODE = "read"
LARGEST_PAGE = 100
SHAPE = Shape(
    ExclusiveStartTableName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    Limit=Number(least=1, most=LARGEST_PAGE),
)


@dataclass(frozen=True, slots=True)
class ListTables:
    """What is asked for."""

    start: str
    limit: int


def parse(request: dict[str, Any]) -> ListTables:
    """From the request to its value."""
    return ListTables(request.get("ExclusiveStartTableName") or "", int(request.get("Limit") or LARGEST_PAGE))


def run(tx: Reading, ask: ListTables) -> Reply:
    """The names after the start; the last one again when there are more."""
    names = [key.decode() for key, _ in tx.rows.range(CATALOG)]
    first = bisect_right(names, ask.start)
    page = names[first : first + ask.limit]
    reply: Reply = {"TableNames": page}
    if first + len(page) < len(names):
        reply["LastEvaluatedTableName"] = page[-1]
    return reply
