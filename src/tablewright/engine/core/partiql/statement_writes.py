"""PartiQL statements, converted to the same writes as other operations use.

    statement = statement_of(request)        # bound to its parameters, not yet checked against a table
    require_one_item(statement, table)       # raises with the messages of ExecuteStatement
    write = write_of(statement, table)       # an Insertion, Edit, Removal or Check

An INSERT fails when the item exists, an UPDATE when it does not; a DELETE of an item that does not exist does nothing,
for any condition.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import ItemCondition
from tablewright.dynamodb.expressions.condition import conjunction
from tablewright.dynamodb.expressions.nodes import (
    ComparisonNode,
    ConditionNode,
    Constant,
    FunctionCall,
    Or,
    Path,
)
from tablewright.dynamodb.expressions.partiql import (
    DeleteStatement,
    Exists,
    Insert,
    Select,
    Statement,
    UpdateStatement,
    bind,
)
from tablewright.dynamodb.expressions.partiql.binding import parameters_of
from tablewright.dynamodb.expressions.partiql.where_keys import PinnedKey, pinned_key
from tablewright.dynamodb.values.attributes import Item, admit_item, type_of
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.requests.shapes import VALUE, ListOf, Text, required
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.writes.item_collections import require_room
from tablewright.engine.core.writes.item_writes import (
    UNCONDITIONAL,
    CheckItem,
    DeleteItemWrite,
    Edit,
    Write,
    WriteCondition,
    require_item_size,
    size_with_local_rows,
)
from tablewright.errors import DuplicateItem, ValidationError

STATEMENT = required(Text(shortest=1, longest=8192))
PARAMETERS = ListOf(VALUE, shortest=1)


class Insertion(NamedTuple):
    """Write an item that must not exist yet."""

    table: str
    item: StoredItem
    condition: WriteCondition = UNCONDITIONAL

    def locate(self, table: StoredTable) -> bytes:
        """The key is in the item."""
        key = table.key_of_item(self.item.attributes)
        if table.local_indexes:
            require_item_size(size_with_local_rows(table, self.item))
        return key

    def outcome(self, table: StoredTable, old: StoredItem | None) -> StoredItem | None:
        """The given item; raises DuplicateItem when there is one."""
        if old is not None:
            raise DuplicateItem("Duplicate primary key exists in table")
        return self.item


def statement_of(request: Mapping[str, Any]) -> Statement:
    """The statement of a request; its parameters are validated before it is parsed."""
    return bind(request["Statement"], parameters_of(request.get("Parameters")))


def is_read(statement: Statement) -> bool:
    """Whether a statement only reads; EXISTS counts as a write."""
    return isinstance(statement, Select)


def require_one_item(statement: Insert | UpdateStatement | DeleteStatement, table: StoredTable) -> None:
    """Reject a write that does not name exactly one item of its table."""
    if isinstance(statement, Insert):
        for name in table.keys.names:
            if name not in statement.item:
                raise ValidationError(f"Key attribute should be present in the item: Key {name}")
        require_key_types(table.keys.types, statement.item)
        return
    if statement.index is not None:
        raise ValidationError("This operation is not supported on an index")
    pinned = pinned_key(statement.where, table.keys.names)
    if pinned.ambiguous is not None:
        raise ValidationError(
            f"Multiple conditions on same key {pinned.ambiguous}. Only single item Update/Insert/Delete are supported"
        )
    if len(pinned.values) < len(table.keys.names):
        raise ValidationError("Where clause does not contain a mandatory equality on all key attributes")
    require_key_types(table.keys.types, pinned.key)


def require_key_types(types: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Reject values for key attributes that are not of the schema's types."""
    for name, kind in types.items():
        if name in values and type_of(values[name]) != kind:
            raise ValidationError(
                f"Key attribute's data type should match its data type in table's schema: Key {name}"
            )


def write_of(
    statement: Insert | UpdateStatement | DeleteStatement | Exists,
    table: StoredTable,
    *,
    returns_item: bool = False,
) -> Write:
    """The write of a statement; `returns_item` when the error of a failed condition includes the item."""
    if isinstance(statement, Insert):
        item, size = admit_item(statement.item)
        require_item_size(size)
        return Insertion(statement.table, StoredItem.of(item, size))
    if isinstance(statement, Exists):
        return _check_of(statement, table, returns_item=returns_item)
    pinned = pinned_key(statement.where, table.keys.names)
    # A key attribute with two values is no key, and does not match the schema.
    key = pinned.key if pinned.ambiguous is None else {}
    hash_key = Path(table.keys.hash)
    if isinstance(statement, UpdateStatement):
        node = conjunction([FunctionCall("attribute_exists", (hash_key,)), *pinned.rest])
        return Edit(
            statement.table, key, statement.update, WriteCondition(ItemCondition.of(node), returns_item)
        )
    condition = UNCONDITIONAL
    if pinned.rest:
        absent = FunctionCall("attribute_not_exists", (hash_key,))
        condition = WriteCondition(ItemCondition.of(Or((absent, conjunction(pinned.rest)))), returns_item)
    return DeleteItemWrite(statement.table, key, condition)


def _check_of(statement: Exists, table: StoredTable, *, returns_item: bool) -> CheckItem:
    if statement.select.index is not None:
        raise ValidationError("Operations on indices are not supported in transactions")
    pinned = pinned_key(statement.select.where, table.keys.names)
    rest = [*pinned.rest, *_other_values(pinned)]
    if len(pinned.values) < len(table.keys.names) or not rest:
        raise ValidationError("EXISTS() must contain a single item read with additional condition")
    node = conjunction([FunctionCall("attribute_exists", (Path(table.keys.hash),)), *rest])
    return CheckItem(statement.table, pinned.key, WriteCondition(ItemCondition.of(node), returns_item))


def _other_values(pinned: PinnedKey) -> list[ConditionNode]:
    """The second and further values for one key attribute: conditions like any other, which never hold."""
    return [
        ComparisonNode("=", Path((name,)), Constant(value))
        for name, values in pinned.values.items()
        for value in values[1:]
    ]


def execute_write(tx: Writing, table: StoredTable, write: Write, meter: CapacityMeter | None) -> ItemChange:
    """Apply a write that is not part of a transaction."""
    key = write.locate(table)
    old = tx.get(table, key)
    write.condition.require(old)
    change = ItemChange(table, key, old, write.outcome(table, old))
    if table.has_local_indexes:
        require_room(tx, change)
    tx.apply(change, meter)
    return change


def returning_item(
    statement: Insert | UpdateStatement | DeleteStatement, change: ItemChange
) -> StoredItem | Item | None:
    """The part of a change that the statement's RETURNING clause requests."""
    if isinstance(statement, Insert) or statement.returning is None:
        return None
    item = change.old if statement.returning.endswith("OLD") else change.new
    if item is None or isinstance(statement, DeleteStatement) or statement.returning.startswith("ALL"):
        return item
    return statement.update.touched(item.attributes)
