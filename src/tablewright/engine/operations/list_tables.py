"""ListTables: list the names of all tables, sorted, a page at a time."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from tablewright.engine.operations import Reply
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
    """Parsed ListTables request."""

    start: str
    limit: int


def parse(request: dict[str, Any]) -> ListTables:
    """Parse the request."""
    return ListTables(request.get("ExclusiveStartTableName") or "", int(request.get("Limit") or LARGEST_PAGE))


def run(tx: Reading, request: ListTables) -> Reply:
    """The names after the start name, and LastEvaluatedTableName when there are more."""
    names = [key.decode() for key, _ in tx.rows.range(CATALOG)]
    first = bisect_right(names, request.start)
    page = names[first : first + request.limit]
    reply: Reply = {"TableNames": page}
    if first + len(page) < len(names):
        reply["LastEvaluatedTableName"] = page[-1]
    return reply
