"""ListTables: list the names of all tables, sorted, a page at a time."""

from dataclasses import dataclass
from itertools import islice
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import CATALOG

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
    # No name contains a zero byte, so this is the first key after the start name.
    rows = tx.rows.range(CATALOG, request.start.encode() + b"\0")
    names = [key.decode() for key, _ in islice(rows, request.limit + 1)]
    page = names[: request.limit]
    reply: Reply = {"TableNames": page}
    if len(names) > len(page):
        reply["LastEvaluatedTableName"] = page[-1]
    return reply
