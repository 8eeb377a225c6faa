"""TransactWriteItems: up to 100 writes and checks that happen together or not at all."""

from typing import Any, NamedTuple

from tablewright.engine.changes import Change
from tablewright.engine.consumed_capacity import Bills
from tablewright.engine.operations.replies import Reply
from tablewright.engine.operations.update_item import update_and_guard
from tablewright.engine.requests.scalars import Member
from tablewright.engine.requests.shapes import (
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
from tablewright.engine.requests.validation_layers import Layer
from tablewright.engine.sessions import Writing
from tablewright.engine.writes.client_tokens import Token, recall, remember
from tablewright.engine.writes.item_collections import collections_metrics
from tablewright.engine.writes.item_writes import Check, Edit, Put, Removal, Write, require_item_size
from tablewright.engine.writes.transactions import MAX_ACTIONS, changes, places, require_size
from tablewright.engine.writes.write_conditions import guard_of
from tablewright.errors import ValidationError
from tablewright.expressions import require_one_style
from tablewright.values.attributes import admit_item
from tablewright.values.capacity import read_units
from tablewright.values.stored_items import StoredItem, fingerprint

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
    """What is asked for."""

    writes: list[Write]
    token: Token | None
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> TransactWriteItems:
    """From the request to its value, in AWS's order of checks."""
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
    """One action, and the bytes it carries."""
    given = {kind: member for kind, member in action.items() if kind in _KINDS and member is not None}
    if not given:
        raise ValidationError(
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )
    if len(given) > 1:
        raise ValidationError("TransactItems can only contain one of Check, Put, Update or Delete")
    ((kind, member),) = given.items()
    require_one_style(member, _KINDS[kind], ())
    table = member["TableName"]
    if kind == "Put":
        item, size = admit_item(member["Item"])
        require_item_size(size)
        return Put(table, StoredItem.of(item, size), guard_of(member)), size
    if kind != "Update":
        guard = guard_of(member)
        key, size = admit_item(member["Key"])
        return (Removal if kind == "Delete" else Check)(table, key, guard), size
    key, size = admit_item(member["Key"])
    edit = Edit(table, key, *update_and_guard(member))
    return edit, size + admit_item(member.get("ExpressionAttributeValues") or {})[1]


_KINDS = {
    "ConditionCheck": ("ConditionExpression",),
    "Put": ("ConditionExpression",),
    "Delete": ("ConditionExpression",),
    "Update": ("UpdateExpression", "ConditionExpression"),
}


def run(tx: Writing, ask: TransactWriteItems) -> Reply:
    """Make all the writes if all conditions hold, unless the same request made them before."""
    if ask.token is not None and recall(tx, ask.token):
        return _repeated(tx, ask)
    bills = Bills(ask.capacity, transactional=True)
    written: list[Change] = []
    for write, change in zip(ask.writes, changes(tx, ask.writes), strict=True):
        if isinstance(write, Check):
            bills.of(change.table).write(change.old, change.old)
        else:
            tx.apply(change, bills.asked(change.table))
            written.append(change)
    if ask.token is not None:
        remember(tx, ask.token)
    reply = bills.on({})
    if ask.metrics:
        reply["ItemCollectionMetrics"] = collections_metrics(tx, written)
    return reply


def _repeated(tx: Writing, ask: TransactWriteItems) -> Reply:
    """The answer to a request that was done before: nothing happens, and it costs what reading its items costs."""
    bills = Bills(ask.capacity, transactional=True)
    for table, key in places(tx, ask.writes):
        item = tx.get(table, key)
        size = item.size if item is not None else 0
        bills.of(table).read(read_units(size, consistent=True, transactional=True))
    return bills.on({})
