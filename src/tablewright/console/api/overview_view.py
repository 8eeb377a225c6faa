"""The overview: the picture of the design with counts, findings, index lag and request rates.

GET    /overview             the picture, the counts of tables and indexes, findings by severity, index lag, commands
GET    /overview/sample      items of a table by entity, from a bounded sample: `table`
EVENTS /overview/requests    requests a second
"""

from collections.abc import Iterator
from typing import Any

from tablewright.connections import Embedded
from tablewright.console.command_lines import command_line
from tablewright.console.endpoints import ConsoleRequest, events, get
from tablewright.console.health.check_findings import severity_counts
from tablewright.console.open_designs import OpenDesign
from tablewright.console.overview.design_picture import design_picture
from tablewright.console.overview.entity_sample import MOST_ITEMS, entity_sample
from tablewright.console.overview.request_rates import request_rates
from tablewright.console.overview.table_counts import counting, table_counts
from tablewright.console.patterns.request_code import cli_code

LAG_UNKNOWN = (
    "DynamoDB does not tell how far a global index is behind its table; it is usually less than a second."
)

SAMPLE_COSTS = f"reads up to {MOST_ITEMS:,} items, which consumes read capacity at this endpoint"


def describe_overview(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the tables, and what is known about the design as a whole."""
    opened = request.design
    return {
        "picture": design_picture(opened),
        "counts": [
            table_counts(opened, name) | {"command": cli_code(opened, "DescribeTable", {"TableName": name})}
            for name in opened.tables
        ],
        "counted": counting(opened),
        "findings": severity_counts(opened),
        "index_lag": index_lag(opened),
        "is_embedded": isinstance(opened.db.connection, Embedded),
        "sample": sampling(opened),
        "commands": {
            "deploy": command_line(opened, "deploy"),
            "samples": command_line(opened, "generate samples"),
        },
    }


def sampling(opened: OpenDesign) -> dict[str, Any]:
    """Say whether the page counts the entities of all tables by itself, and why not."""
    if isinstance(opened.db.connection, Embedded):
        return {"automatic": True, "why": None}
    return {"automatic": False, "why": SAMPLE_COSTS}


def index_lag(opened: OpenDesign) -> dict[str, Any]:
    """Return by how many seconds global indexes are behind, where that is known."""
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        return {"available": False, "why": LAG_UNKNOWN}
    return {"available": True, "seconds": connection.faults.index_lag if connection.faults else 0.0}


def sample_table(request: ConsoleRequest) -> dict[str, Any]:
    """Estimate the items of a table by entity."""
    opened, name = request.design, request.text("table")
    opened.table(name)
    counts = table_counts(opened, name)
    if not counts["exists"]:
        return {"table": name, "examined": 0, "complete": True, "items": None, "counts": []}
    return entity_sample(opened, name, counts["items"])


def watch_requests(request: ConsoleRequest) -> Iterator[dict[str, Any] | None]:
    """Send the requests a second, once a second."""
    return request_rates(request.design)


ROUTES = [
    get("/overview", describe_overview),
    get("/overview/sample", sample_table),
    events("/overview/requests", watch_requests),
]
