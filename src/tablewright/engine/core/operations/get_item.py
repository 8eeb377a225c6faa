"""GetItem: read one item by its key."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import Projection, require_one_style
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.reads.selections import projection_of
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ITEM,
    NAMES,
    TABLE_NAME,
    Boolean,
    ListOf,
    Shape,
    Text,
    required,
)
from tablewright.engine.core.sessions import Reading

NAME = "GetItem"
MODE = "read"
SHAPE = Shape(
    TableName=TABLE_NAME,
    Key=required(ITEM),
    ReturnConsumedCapacity=CAPACITY,
    AttributesToGet=ListOf(Text(), shortest=1),
    ConsistentRead=Boolean(),
    ProjectionExpression=Text(),
    ExpressionAttributeNames=NAMES,
)


class GetItem(NamedTuple):
    """Parsed GetItem request."""

    table: str
    key: Item
    projection: Projection | None
    consistent: bool
    capacity: str | None


def parse(request: dict[str, Any]) -> GetItem:
    """Parse the request."""
    if len(request) == 2:
        return GetItem(request["TableName"], admit_item(request["Key"])[0], None, False, None)
    require_one_style(request, ("ProjectionExpression",), ("AttributesToGet",))
    return GetItem(
        table=request["TableName"],
        key=admit_item(request["Key"])[0],
        projection=projection_of(request),
        consistent=request.get("ConsistentRead") or False,
        capacity=request.get("ReturnConsumedCapacity"),
    )


def run(tx: Reading, request: GetItem) -> Reply:
    """Read the item and apply the projection."""
    table = tx.table(request.table)
    key = table.keys.of_key(request.key)
    if request.projection is not None:
        table.require_scalar_keys(request.projection.nested_attributes)
    item = tx.get(table, key)
    reply: Reply = {}
    if item is not None:
        reply["Item"] = item if request.projection is None else request.projection.of(item.attributes)
    if request.capacity in ("TOTAL", "INDEXES"):
        meter = CapacityMeter(table)
        meter.read(read_units(item.size if item else 0, consistent=request.consistent))
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    return reply
