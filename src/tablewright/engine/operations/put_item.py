"""PutItem: write a whole item, in place of the one with the same key."""

from typing import Any, NamedTuple

from tablewright.engine.changes import Change
from tablewright.engine.consumed_capacity import bill_for
from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import (
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
from tablewright.engine.requests.validation_layers import Layer
from tablewright.engine.sessions import Writing
from tablewright.engine.writes.item_collections import collection_metrics
from tablewright.engine.writes.item_writes import Put, require_item_size
from tablewright.engine.writes.write_conditions import UNGUARDED, guard_of
from tablewright.errors import ValidationError
from tablewright.expressions import require_one_style
from tablewright.values.attributes import admit_item
from tablewright.values.stored_items import StoredItem

NAME = "PutItem"
MODE = "write"
LAYER = Layer.ENVELOPED
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
).newer("TableName", "ConditionalOperator")


class PutItem(NamedTuple):
    """What is asked for."""

    write: Put
    returns_old: bool
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> PutItem:
    """From the request to its value, in AWS's order of checks."""
    if len(request) == 2:
        return _plain(request["TableName"], request["Item"])
    require_one_style(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    item, size = admit_item(request["Item"])
    if request.get("ReturnValues") not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")
    return PutItem(
        write=Put(request["TableName"], StoredItem.of(item, size), guard_of(request)),
        returns_old=request.get("ReturnValues") == "ALL_OLD",
        capacity=request.get("ReturnConsumedCapacity"),
        metrics=request.get("ReturnItemCollectionMetrics") == "SIZE",
    )


def _plain(table: str, given: Any) -> PutItem:
    """Nothing but an item: there is nothing else to look at, and this is the most common request."""
    item, size = admit_item(given)
    return PutItem(Put(table, StoredItem.of(item, size), UNGUARDED), False, None, False)


def run(tx: Writing, ask: PutItem) -> Reply:
    """Replace the item if the condition holds."""
    require_item_size(ask.write.item.size)
    table = tx.table(ask.write.table)
    key = ask.write.locate(table)
    old = tx.get(table, key)
    ask.write.guard.require(old)
    bill = bill_for(table, ask.capacity)
    tx.apply(Change(table, key, old, ask.write.item), bill)
    reply: Reply = {}
    if ask.returns_old and old is not None:
        reply["Attributes"] = old
    if bill is not None:
        reply["ConsumedCapacity"] = bill.show(ask.capacity)
    if ask.metrics and table.has_local_indexes:
        reply["ItemCollectionMetrics"] = collection_metrics(tx, table, ask.write.item.attributes)
    return reply
