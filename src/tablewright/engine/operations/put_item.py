"""PutItem: write a whole item, in place of the one with the same key."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.capacity import Bill
from tablewright.engine.changes import Change
from tablewright.engine.collections import collection_metrics
from tablewright.engine.guards import Guard, guard_of
from tablewright.engine.operations.replies import Reply
from tablewright.engine.parameters import refuse_mixture
from tablewright.engine.sessions import Writing
from tablewright.engine.shapes import (
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
from tablewright.errors import ValidationError
from tablewright.expressions import Scope
from tablewright.values.attributes import admit_item
from tablewright.values.codec import StoredItem
from tablewright.values.sizes import MAX_ITEM_SIZE

NAME = "PutItem"
MODE = "write"
SHAPE = Shape(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TABLE_NAME,
    Item=required(ITEM),
    ConditionalOperator=CONDITIONAL_OPERATOR,
    Expected=EXPECTED,
    ReturnValues=RETURN_VALUES,
    ReturnItemCollectionMetrics=METRICS,
    ConditionExpression=Text(),
    ExpressionAttributeValues=ITEM,
    ExpressionAttributeNames=NAMES,
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
)


@dataclass(frozen=True, slots=True)
class PutItem:
    """What is asked for."""

    table: str
    item: StoredItem
    guard: Guard
    returns_old: bool
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> PutItem:
    """From the request to its value, in AWS's order of checks."""
    refuse_mixture(request, ("ConditionExpression",), ("Expected",))
    item, size = admit_item(request["Item"])
    if request.get("ReturnValues") not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")
    if size > MAX_ITEM_SIZE:
        raise ValidationError("Item size has exceeded the maximum allowed size")
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    guard = guard_of(request, scope)
    scope.finish()
    return PutItem(
        table=request["TableName"],
        item=StoredItem.of(item, size),
        guard=guard,
        returns_old=request.get("ReturnValues") == "ALL_OLD",
        capacity=request.get("ReturnConsumedCapacity"),
        metrics=request.get("ReturnItemCollectionMetrics") == "SIZE",
    )


def run(tx: Writing, ask: PutItem) -> Reply:
    """Replace the item if the condition holds."""
    table = tx.table(ask.table)
    key = table.key_of_item(ask.item.attributes)
    old = tx.get(table, key)
    ask.guard.require(old)
    bill = Bill(table) if ask.capacity in ("TOTAL", "INDEXES") else None
    tx.apply(Change(table, key, old, ask.item), bill)
    reply: Reply = {}
    if ask.returns_old and old is not None:
        reply["Attributes"] = old
    if bill is not None:
        reply["ConsumedCapacity"] = bill.show(ask.capacity)
    if ask.metrics and table.has_local_indexes:
        reply["ItemCollectionMetrics"] = collection_metrics(tx, table, ask.item.attributes)
    return reply
