"""TransactWriteItems: apply up to 100 writes and condition checks, all or none."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import require_one_style
from tablewright.dynamodb.values.attributes import admit_item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.dynamodb.values.stored_items import StoredItem, fingerprint
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeters
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.operations.update_item import update_and_condition
from tablewright.engine.core.requests.scalars import Layer, Member
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ITEM,
    METRICS,
    NAMES,
    ON_FAILURE,
    TABLE_NAME,
    ListOf,
    Shape,
    Text,
    required,
    structure,
)
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.writes.item_collections import collections_metrics
from tablewright.engine.core.writes.item_writes import (
    CheckItem,
    DeleteItemWrite,
    Edit,
    PutItemWrite,
    Write,
    require_item_size,
    write_condition_of,
)
from tablewright.engine.core.writes.transactions import (
    MAX_ACTIONS,
    Token,
    changes,
    item_keys,
    recall,
    remember,
    require_size,
)
from tablewright.errors import ValidationError

NAME = "TransactWriteItems"
MODE = "write"
LAYER = Layer.OLDER

_EXPRESSIONS: dict[str, Member] = {
    "ExpressionAttributeNames": NAMES,
    "ExpressionAttributeValues": ITEM,
    "ReturnValuesOnConditionCheckFailure": ON_FAILURE,
}
SHAPE = Shape(
    ClientRequestToken=Text(shortest=1, longest=36),
    ReturnConsumedCapacity=CAPACITY,
    ReturnItemCollectionMetrics=METRICS,
    TransactItems=required(
        ListOf(
            structure(
                "TransactWriteItem",
                ConditionCheck=structure(
                    "ConditionCheck",
                    Key=required(ITEM),
                    TableName=TABLE_NAME,
                    ConditionExpression=required(Text()),
                    **_EXPRESSIONS,
                ),
                Put=structure(
                    "Put",
                    Item=required(ITEM),
                    TableName=TABLE_NAME,
                    ConditionExpression=Text(),
                    **_EXPRESSIONS,
                ),
                Delete=structure(
                    "Delete",
                    Key=required(ITEM),
                    TableName=TABLE_NAME,
                    ConditionExpression=Text(),
                    **_EXPRESSIONS,
                ),
                Update=structure(
                    "Update",
                    Key=required(ITEM),
                    UpdateExpression=required(Text()),
                    TableName=TABLE_NAME,
                    ConditionExpression=Text(),
                    **_EXPRESSIONS,
                ),
            ),
            shortest=1,
            longest=MAX_ACTIONS,
        )
    ),
)


class TransactWriteItems(NamedTuple):
    """Parsed TransactWriteItems request."""

    writes: list[Write]
    token: Token | None
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> TransactWriteItems:
    """Parse the request, in AWS's order of checks."""
    token = request.get("ClientRequestToken")
    sized = [_write(action) for action in request["TransactItems"]]
    require_size(sum(size for _, size in sized))
    return TransactWriteItems(
        writes=[write for write, _ in sized],
        token=None if token is None else Token(token, fingerprint(request["TransactItems"])),
        capacity=request.get("ReturnConsumedCapacity"),
        metrics=request.get("ReturnItemCollectionMetrics") == "SIZE",
    )


def _write(action: dict[str, Any]) -> tuple[Write, int]:
    """One action, and its size in bytes."""
    members = {kind: member for kind, member in action.items() if kind in _KINDS and member is not None}
    if not members:
        raise ValidationError(
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )
    if len(members) > 1:
        raise ValidationError("TransactItems can only contain one of Check, Put, Update or Delete")
    ((kind, member),) = members.items()
    require_one_style(member, _KINDS[kind], ())
    table = member["TableName"]
    if kind == "Put":
        item, size = admit_item(member["Item"])
        require_item_size(size)
        return PutItemWrite(table, StoredItem.of(item, size), write_condition_of(member)), size
    if kind != "Update":
        condition = write_condition_of(member)
        key, size = admit_item(member["Key"])
        return (DeleteItemWrite if kind == "Delete" else CheckItem)(table, key, condition), size
    key, size = admit_item(member["Key"])
    edit = Edit(table, key, *update_and_condition(member))
    return edit, size + admit_item(member.get("ExpressionAttributeValues") or {})[1]


_KINDS = {
    "ConditionCheck": ("ConditionExpression",),
    "Put": ("ConditionExpression",),
    "Delete": ("ConditionExpression",),
    "Update": ("UpdateExpression", "ConditionExpression"),
}


def run(tx: Writing, request: TransactWriteItems) -> Reply:
    """Apply all writes if all conditions hold, unless the same token was used before."""
    if request.token is not None and recall(tx, request.token):
        return _repeated(tx, request)
    meters = CapacityMeters(request.capacity, transactional=True)
    written: list[ItemChange] = []
    for write, change in zip(request.writes, changes(tx, request.writes), strict=True):
        if isinstance(write, CheckItem):
            meters.of(change.table).write(change.old, change.old)
        else:
            tx.apply(change, meters.requested(change.table))
            written.append(change)
    if request.token is not None:
        remember(tx, request.token)
    reply = meters.add_to({})
    if request.metrics:
        reply["ItemCollectionMetrics"] = collections_metrics(tx, written)
    return reply


def _repeated(tx: Writing, request: TransactWriteItems) -> Reply:
    """The reply to a repeated request: nothing is written, and the capacity is that of reading the items."""
    meters = CapacityMeters(request.capacity, transactional=True)
    for table, key in item_keys(tx, request.writes):
        item = tx.get(table, key)
        size = item.size if item is not None else 0
        meters.of(table).read(read_units(size, consistent=True, transactional=True))
    return meters.add_to({})
