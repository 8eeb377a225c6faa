"""DeleteItem: delete one item."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import require_one_style
from tablewright.dynamodb.values.attributes import admit_item
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
    TABLE_NAME,
    Shape,
    Text,
    required,
)
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.writes.item_collections import collection_metrics
from tablewright.engine.core.writes.item_writes import DeleteItemWrite, write_condition_of
from tablewright.errors import ValidationError

NAME = "DeleteItem"
MODE = "write"
LAYER = Layer.ENVELOPED
SHAPE = Shape(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TABLE_NAME,
    ReturnValues=RETURN_VALUES,
    ReturnItemCollectionMetrics=METRICS,
    Key=required(ITEM),
    ConditionalOperator=CONDITIONAL_OPERATOR,
    Expected=EXPECTED,
    ConditionExpression=Text(),
    ExpressionAttributeValues=ITEM,
    ExpressionAttributeNames=NAMES,
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
).newer("TableName", "ConditionalOperator")


class DeleteItem(NamedTuple):
    """Parsed DeleteItem request."""

    write: DeleteItemWrite
    returns_old: bool
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> DeleteItem:
    """Parse the request, in AWS's order of checks."""
    require_one_style(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    key = admit_item(request["Key"])[0]
    if request.get("ReturnValues") not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")
    return DeleteItem(
        write=DeleteItemWrite(request["TableName"], key, write_condition_of(request)),
        returns_old=request.get("ReturnValues") == "ALL_OLD",
        capacity=request.get("ReturnConsumedCapacity"),
        metrics=request.get("ReturnItemCollectionMetrics") == "SIZE",
    )


def run(tx: Writing, request: DeleteItem) -> Reply:
    """Delete the item if the condition holds."""
    table = tx.table(request.write.table)
    key = request.write.locate(table)
    old = tx.get(table, key)
    request.write.condition.require(old)
    meter = meter_for(table, request.capacity)
    tx.apply(ItemChange(table, key, old, None), meter)
    reply: Reply = {}
    if request.returns_old and old is not None:
        reply["Attributes"] = old
    if meter is not None:
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    if request.metrics and table.has_local_indexes:
        reply["ItemCollectionMetrics"] = collection_metrics(tx, table, request.write.key)
    return reply
