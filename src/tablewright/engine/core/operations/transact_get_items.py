"""TransactGetItems: read up to 100 items from one snapshot."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import Projection, require_one_style
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.consumed_capacity import CapacityMeters
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.reads.selections import projected, projection_of
from tablewright.engine.core.requests.scalars import Layer
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ITEM,
    NAMES,
    TABLE_NAME,
    ListOf,
    Shape,
    Text,
    required,
    structure,
)
from tablewright.engine.core.sessions import ByteBudget, Reading
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.writes.transactions import MAX_ACTIONS, item_keys, require_size

NAME = "TransactGetItems"
MODE = "snapshot"
LAYER = Layer.OLDER
SHAPE = Shape(
    TransactItems=required(
        ListOf(
            structure(
                "TransactGetItem",
                Get=required(
                    structure(
                        "Get",
                        Key=required(ITEM),
                        TableName=TABLE_NAME,
                        ProjectionExpression=Text(),
                        ExpressionAttributeNames=NAMES,
                    )
                ),
            ),
            shortest=1,
            longest=MAX_ACTIONS,
        )
    ),
    ReturnConsumedCapacity=CAPACITY,
)


class GetOfTransaction(NamedTuple):
    """One requested item."""

    table: str
    key: Item
    projection: Projection | None

    def locate(self, table: StoredTable) -> bytes:
        """The key bytes; the key must be complete."""
        key = table.keys.of_key(self.key)
        if self.projection is not None:
            table.require_scalar_keys(self.projection.nested_attributes)
        return key


class TransactGetItems(NamedTuple):
    """Parsed TransactGetItems request."""

    gets: list[GetOfTransaction]
    capacity: str | None


def parse(request: dict[str, Any]) -> TransactGetItems:
    """Parse the request."""
    gets = [_get(action["Get"]) for action in request["TransactItems"]]
    return TransactGetItems(gets, request.get("ReturnConsumedCapacity"))


def _get(action: dict[str, Any]) -> GetOfTransaction:
    require_one_style(action, ("ProjectionExpression",), ())
    return GetOfTransaction(action["TableName"], admit_item(action["Key"])[0], projection_of(action))


def run(tx: Reading, request: TransactGetItems) -> Reply:
    """Read all the items."""
    meters = CapacityMeters(request.capacity, transactional=True)
    responses: list[Reply] = []
    total = 0
    budget = ByteBudget(tx)
    for get, (table, key) in zip(request.gets, item_keys(tx, request.gets), strict=True):
        item = tx.get(table, key)
        size = item.size if item is not None else 0
        total += size
        budget.spend(size, decoded=get.projection is not None)
        meters.of(table).read(read_units(size, consistent=True, transactional=True))
        responses.append(_shown(get, item))
    require_size(total)
    return meters.add_to({"Responses": responses})


def _shown(get: GetOfTransaction, item: StoredItem | None) -> Reply:
    """The projected item. Unlike GetItem, AWS shows no empty item when it has none of the attributes."""
    shown = None if item is None else projected(get.projection, item)
    return {"Item": shown} if shown else {}
