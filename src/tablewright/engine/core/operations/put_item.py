"""PutItem: write a whole item, replacing the item with the same key."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import require_one_style
from tablewright.dynamodb.values.attributes import admit_item
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import meter_for
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.scalars import Layer
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    CONDITIONAL_OPERATOR,
    EXPECTED,
    ITEM,
    METRICS,
    NAMES,
    ON_FAILURE,
    RETURN_VALUES,
    TABLE_NAME_ALONE,
    Shape,
    Text,
    required,
)
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.writes.item_collections import collection_metrics, require_room
from tablewright.engine.core.writes.item_writes import (
    UNCONDITIONAL,
    PutItemWrite,
    require_item_size,
    write_condition_of,
)
from tablewright.errors import ValidationError

NAME = "PutItem"
MODE = "write"
LAYER = Layer.ENVELOPED
SHAPE = Shape(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TABLE_NAME_ALONE,
    Item=required(ITEM),
    ConditionalOperator=CONDITIONAL_OPERATOR,
    Expected=EXPECTED,
    ReturnValues=RETURN_VALUES,
    ReturnItemCollectionMetrics=METRICS,
    ConditionExpression=Text(),
    ExpressionAttributeValues=ITEM,
    ExpressionAttributeNames=NAMES,
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
).newer("TableName", "ConditionalOperator")


class PutItem(NamedTuple):
    """Parsed PutItem request."""

    write: PutItemWrite
    returns_old: bool
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> PutItem:
    """Parse the request, in AWS's order of checks."""
    if len(request) == 2:
        return _plain(request["TableName"], request["Item"])
    require_one_style(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    item, size = admit_item(request["Item"])
    if request.get("ReturnValues") not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")
    return PutItem(
        write=PutItemWrite(request["TableName"], StoredItem.of(item, size), write_condition_of(request)),
        returns_old=request.get("ReturnValues") == "ALL_OLD",
        capacity=request.get("ReturnConsumedCapacity"),
        metrics=request.get("ReturnItemCollectionMetrics") == "SIZE",
    )


def _plain(table: str, raw: Any) -> PutItem:
    """Parse a request with only a table and an item: the most common request, so it has a shorter path."""
    item, size = admit_item(raw)
    return PutItem(PutItemWrite(table, StoredItem.of(item, size), UNCONDITIONAL), False, None, False)


def run(tx: Writing, request: PutItem) -> Reply:
    """Replace the item if the condition holds."""
    require_item_size(request.write.item.size)
    table = tx.table(request.write.table)
    key = request.write.locate(table)
    old = tx.get(table, key)
    request.write.condition.require(old)
    change = ItemChange(table, key, old, request.write.item)
    if table.has_local_indexes:
        require_room(tx, change)
    meter = meter_for(table, request.capacity)
    tx.apply(change, meter)
    reply: Reply = {}
    if request.returns_old and old is not None:
        reply["Attributes"] = old
    if meter is not None:
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    if request.metrics and table.has_local_indexes:
        reply["ItemCollectionMetrics"] = collection_metrics(tx, table, request.write.item.attributes)
    return reply
