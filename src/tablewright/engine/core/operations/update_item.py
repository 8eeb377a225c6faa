"""UpdateItem: change attributes of one item, or create the item with them."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import ItemUpdate, Scope, require_one_style, update
from tablewright.dynamodb.expressions.legacy_parameters import attribute_updates
from tablewright.dynamodb.expressions.nodes import DeleteFromSet, RemovePath
from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.item_sizes import item_size
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
    RETURN_VALUES_ALONE,
    TABLE_NAME,
    VALUE,
    MapOf,
    Shape,
    Text,
    one_of,
    required,
    structure,
)
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.writes.item_collections import collection_metrics, require_room
from tablewright.engine.core.writes.item_writes import (
    Edit,
    WriteCondition,
    require_updated_size,
    write_condition_of,
)

NAME = "UpdateItem"
MODE = "write"
LAYER = Layer.ENVELOPED
SHAPE = Shape(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TABLE_NAME,
    ReturnItemCollectionMetrics=METRICS,
    ReturnValues=RETURN_VALUES_ALONE,
    ConditionalOperator=CONDITIONAL_OPERATOR,
    Key=required(ITEM),
    Expected=EXPECTED,
    AttributeUpdates=MapOf(
        structure("AttributeValueUpdate", Action=one_of("DELETE", "PUT", "ADD"), Value=VALUE),
        "com.amazonaws.dynamodb.v20120810.AttributeValueUpdate",
    ),
    ConditionExpression=Text(),
    UpdateExpression=Text(),
    ExpressionAttributeValues=ITEM,
    ExpressionAttributeNames=NAMES,
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
).newer("TableName", "ConditionalOperator", "ReturnValues")


class UpdateItem(NamedTuple):
    """Parsed UpdateItem request."""

    write: Edit
    returns: str
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> UpdateItem:
    """Parse the request, in AWS's order of checks."""
    require_one_style(
        request,
        ("UpdateExpression", "ConditionExpression"),
        ("AttributeUpdates", "Expected", "ConditionalOperator"),
    )
    key = admit_item(request["Key"])[0]
    change, condition = update_and_condition(request)
    return UpdateItem(
        write=Edit(request["TableName"], key, change, condition),
        returns=request.get("ReturnValues") or "NONE",
        capacity=request.get("ReturnConsumedCapacity"),
        metrics=request.get("ReturnItemCollectionMetrics") == "SIZE",
    )


def update_and_condition(request: dict[str, Any]) -> tuple[ItemUpdate, WriteCondition]:
    """The update and the condition of a request, which share their placeholders."""
    text = request.get("UpdateExpression")
    if text is None:
        change = attribute_updates(request.get("AttributeUpdates") or {})
        return change, write_condition_of(request)
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    change = update(text, scope)
    condition = write_condition_of(request, scope)
    scope.finish()
    return change, condition


def run(tx: Writing, request: UpdateItem) -> Reply:
    """Apply the update if the condition holds."""
    table = tx.table(request.write.table)
    key = request.write.locate(table)
    old = tx.get(table, key)
    request.write.condition.require(old)
    new = request.write.outcome(table, old)
    if new is not None:
        _require_room(request.write.update, new)
    change = ItemChange(table, key, old, new)
    if table.has_local_indexes:
        require_room(tx, change)
    meter = meter_for(table, request.capacity)
    tx.apply(change, meter)
    reply: Reply = {}
    shown = _shown(request, old, new)
    if shown:
        reply["Attributes"] = shown
    if meter is not None:
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    if request.metrics and table.has_local_indexes:
        reply["ItemCollectionMetrics"] = collection_metrics(tx, table, request.write.key)
    return reply


# Beside the item's own size, AWS limits what a single update writes: the attributes it sets, and for each clause a
# few bytes. Updates in transactions and in PartiQL do not have this limit. AWS does not document it; the public parity
# suite measured it.
_UPDATE_COST = 3
_WRITE_COST = 19
_INDEX_COST = 1
_TAKE_COST = 2


def _require_room(change: ItemUpdate, new: StoredItem) -> None:
    cost = _UPDATE_COST
    written: set[str] = set()
    for action in change.actions:
        if isinstance(action, RemovePath | DeleteFromSet):
            cost += _TAKE_COST
        else:
            cost += _WRITE_COST + (_INDEX_COST if isinstance(action.path.parts[-1], int) else 0)
            written.add(action.path.attribute)
    if new.size + cost <= MAX_ITEM_SIZE:
        return
    size = item_size({name: new.attributes[name] for name in written if name in new.attributes})
    require_updated_size(size + cost)


def _shown(request: UpdateItem, old: StoredItem | None, new: StoredItem | None) -> StoredItem | Item | None:
    """The attributes that ReturnValues requests; None for an item that does not exist."""
    match request.returns:
        case "ALL_OLD":
            return old
        case "ALL_NEW":
            return new
        case "UPDATED_OLD":
            return request.write.update.touched(old.attributes) if old is not None else None
        case "UPDATED_NEW":
            return request.write.update.touched(new.attributes) if new is not None else None
        case _:
            return None
