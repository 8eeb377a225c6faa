"""BatchGetItem: read up to 100 items of several tables, up to 16 MB."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import Projection, require_one_style
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.dynamodb.values.stored_items import encode
from tablewright.engine.core.consumed_capacity import CapacityMeters
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.reads.selections import projected, projection_of
from tablewright.engine.core.requests.scalars import violation_without_value
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ITEM,
    NAMES,
    TABLE_KEY,
    Boolean,
    ListOf,
    MapOf,
    Shape,
    Text,
    required,
    structure,
)
from tablewright.engine.core.sessions import ByteBudget, Reading
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.errors import ValidationError

NAME = "BatchGetItem"
MODE = "read"
SHAPE = Shape(
    RequestItems=required(
        MapOf(
            structure(
                "KeysAndAttributes",
                Keys=required(ListOf(ITEM)),
                AttributesToGet=ListOf(Text(), shortest=1),
                ConsistentRead=Boolean(),
                ProjectionExpression=Text(),
                ExpressionAttributeNames=NAMES,
            ),
            "com.amazonaws.dynamodb.v20120810.KeysAndAttributes",
            key=TABLE_KEY,
            show=lambda requested: encode(requested).decode(),
        )
    ),
    ReturnConsumedCapacity=CAPACITY,
)

MAX_KEYS = 100
MAX_SIZE = 16 * 1024 * 1024
_STYLES = ("ProjectionExpression",), ("AttributesToGet",)


class TableKeys(NamedTuple):
    """The keys requested from one table."""

    table: str
    keys: list[Item]
    projection: Projection | None
    consistent: bool
    raw: Mapping[str, Any]


class BatchGetItem(NamedTuple):
    """Parsed BatchGetItem request."""

    blocks: list[TableKeys]
    capacity: str | None

    @property
    def consistent(self) -> bool:
        """Whether every block is a consistent read."""
        return all(block.consistent for block in self.blocks)


def parse(request: dict[str, Any]) -> BatchGetItem:
    """Parse the request, in AWS's order of checks."""
    requested = request["RequestItems"]
    _require_length("RequestItems", requested)
    for table, block in requested.items():
        _require_length(f"RequestItems.{table}.member.Keys", block["Keys"], MAX_KEYS)
    blocks = [_block(table, block) for table, block in requested.items()]
    require_one_style(
        {name: member for block in requested.values() for name, member in block.items()}, *_STYLES
    )
    if sum(len(block.keys) for block in blocks) > MAX_KEYS:
        raise ValidationError("Too many items requested for the BatchGetItem call")
    return BatchGetItem(blocks, request.get("ReturnConsumedCapacity"))


def _require_length(member: str, members: Any, longest: int | None = None) -> None:
    if not members:
        raise violation_without_value(member, "Member must have length greater than or equal to 1")
    if longest is not None and len(members) > longest:
        raise violation_without_value(member, f"Member must have length less than or equal to {longest}")


def _block(table: str, request: dict[str, Any]) -> TableKeys:
    require_one_style(request, *_STYLES)
    projection = projection_of(request)
    keys = [admit_item(key)[0] for key in request["Keys"]]
    if len({encode(sorted(key.items())) for key in keys}) < len(keys):
        raise ValidationError("Provided list of item keys contains duplicates")
    return TableKeys(table, keys, projection, request.get("ConsistentRead") or False, request)


def run(tx: Reading, request: BatchGetItem) -> Reply:
    """Read the items; return the keys beyond 16 MB as unprocessed."""
    reply: Reply = {"Responses": {}, "UnprocessedKeys": {}}
    meters = CapacityMeters(request.capacity)
    room = MAX_SIZE
    budget = ByteBudget(tx)
    for block, table, stored_keys in list(_located(tx, request)):
        items: list[Any] = []
        left: list[Item] = []
        for key, stored_key in zip(block.keys, stored_keys, strict=True):
            item = None if left else tx.get(table, stored_key)
            size = item.size if item is not None else 0
            room -= size
            budget.spend(size, decoded=block.projection is not None)
            if room < 0:
                left.append(key)
                continue
            meters.of(table).read(read_units(size, consistent=block.consistent))
            if item is not None:
                items.append(projected(block.projection, item))
        reply["Responses"][block.table] = items
        if left:
            reply["UnprocessedKeys"][block.table] = {**block.raw, "Keys": left}
    return meters.add_to(reply)


def _located(tx: Reading, request: BatchGetItem) -> Iterator[tuple[TableKeys, StoredTable, list[bytes]]]:
    for block in request.blocks:
        table = tx.table(block.table)
        stored_keys = [table.keys.of_key(key) for key in block.keys]
        if block.projection is not None:
            table.require_scalar_keys(block.projection.nested_attributes)
        yield block, table, stored_keys
