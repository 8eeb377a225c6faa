"""BatchWriteItem: up to 25 puts and deletes in several tables, validated together, written one by one."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tablewright.dynamodb.values.attributes import admit_item
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeters
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.scalars import ENVELOPE, Layer, violation
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ITEM,
    METRICS,
    TABLE_KEY,
    ListOf,
    MapOf,
    Shape,
    key_constraint,
    required,
    shown_in_java,
    structure,
)
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.writes.item_collections import CollectionLimit, collections_metrics
from tablewright.engine.core.writes.item_writes import (
    UNCONDITIONAL,
    DeleteItemWrite,
    PutItemWrite,
    require_item_size,
)
from tablewright.errors import ValidationError

NAME = "BatchWriteItem"
MODE = "write"
LAYER = Layer.OLDER
SHAPE = Shape(
    ReturnConsumedCapacity=CAPACITY,
    ReturnItemCollectionMetrics=METRICS,
    RequestItems=required(
        MapOf(
            ListOf(
                structure(
                    "WriteRequest",
                    PutRequest=structure("PutRequest", Item=required(ITEM)),
                    DeleteRequest=structure("DeleteRequest", Key=required(ITEM)),
                )
            ),
            "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>",
        )
    ),
)

MAX_WRITES = 25


class BatchWriteItem(NamedTuple):
    """Parsed BatchWriteItem request."""

    writes: dict[str, list[PutItemWrite | DeleteItemWrite]]
    capacity: str | None
    metrics: bool


def parse(request: dict[str, Any]) -> BatchWriteItem:
    """Parse the request, in AWS's order of checks."""
    requested = request["RequestItems"]
    if not requested:
        raise ValidationError("The requestItems parameter is required for BatchWriteItem")
    if not all(map(TABLE_KEY.accepts, requested)):
        raise _rejected(requested, key_constraint(TABLE_KEY))
    if not all(0 < len(entries) <= MAX_WRITES for entries in requested.values()):
        raise _rejected(
            requested,
            f"Map value must satisfy constraint: [Member must have length less than or equal to {MAX_WRITES}, "
            "Member must have length greater than or equal to 1]",
        )
    writes = {table: [_write(table, entry) for entry in entries] for table, entries in requested.items()}
    if sum(map(len, writes.values())) > MAX_WRITES:
        raise ValidationError("Too many items requested for the BatchWriteItem call")
    return BatchWriteItem(
        writes=writes,
        capacity=request.get("ReturnConsumedCapacity"),
        metrics=request.get("ReturnItemCollectionMetrics") == "SIZE",
    )


def _rejected(requested: dict[str, Any], constraint: str) -> ValidationError:
    shown = shown_in_java(SHAPE.members["RequestItems"], requested)
    return ValidationError(ENVELOPE + violation(shown, "requestItems", constraint))


def _write(table: str, entry: dict[str, Any]) -> PutItemWrite | DeleteItemWrite:
    put, delete = entry.get("PutRequest"), entry.get("DeleteRequest")
    if (put is None) == (delete is None):
        raise ValidationError(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    if delete is not None:
        return DeleteItemWrite(table, admit_item(delete["Key"])[0], UNCONDITIONAL)
    assert put is not None
    item, size = admit_item(put["Item"])
    require_item_size(size)
    return PutItemWrite(table, StoredItem.of(item, size), UNCONDITIONAL)


def run(tx: Writing, request: BatchWriteItem) -> Reply:
    """Apply all writes, if all of them fit the key schemas of their tables."""
    changes = [
        change for name, writes in request.writes.items() for change in _changes(tx, tx.table(name), writes)
    ]
    limit = CollectionLimit(tx)
    for change in changes:
        limit.require(change)
    meters = CapacityMeters(request.capacity)
    for change in changes:
        tx.apply(change, meters.requested(change.table))
    reply = meters.add_to({"UnprocessedItems": {}})
    if request.metrics:
        reply["ItemCollectionMetrics"] = collections_metrics(tx, changes)
    return reply


def _changes(
    tx: Writing, table: StoredTable, writes: list[PutItemWrite | DeleteItemWrite]
) -> Iterator[ItemChange]:
    seen = set()
    for write in writes:
        if isinstance(write, PutItemWrite) and not table.keys.fits(write.item.attributes):
            # A put with an invalid key fails with the message for a Key parameter, unlike PutItem's.
            table.keys.of_key(table.keys.part_of(write.item.attributes))
        key = write.locate(table)
        if key in seen:
            raise ValidationError("Provided list of item keys contains duplicates")
        seen.add(key)
        old = tx.get(table, key)
        yield ItemChange(table, key, old, write.outcome(table, old))
