"""ReadReplica: read the changes of a table, for its replica in another region; not an operation of AWS."""

from typing import Any

from tablewright.engine.core.operations import REPLICATION, Reply
from tablewright.engine.core.requests.shapes import Number, Text, required
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.replicas.change_pages import Place, read_page

NAME = "ReadReplica"
# The items of a page are read in the same commit as the feed.
MODE = "snapshot"
API = REPLICATION
SHAPE = TableShape(
    TableName=TABLE_NAME,
    Group=required(Text()),
    Region=required(Text()),
    Epoch=Text(),
    Number=required(Number(least=0, most=1 << 62)),
    CopyFrom=Text(pattern="([0-9a-f]{2})*"),
)


def parse(request: dict[str, Any]) -> Place:
    """The position of the reader."""
    copy_from = request.get("CopyFrom")
    return Place(
        table=request["TableName"],
        group=request["Group"],
        region=request["Region"],
        epoch=request.get("Epoch"),
        number=int(request["Number"]),
        copy_from=None if copy_from is None else bytes.fromhex(copy_from),
    )


def run(tx: Reading, request: Place) -> Reply:
    """Read the next page."""
    return read_page(tx, request)
