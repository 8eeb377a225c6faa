"""Writes: the requested change of one item, the same for every operation.

PutItem, UpdateItem, DeleteItem, batches, transactions and PartiQL all produce a `Write`. It is checked against a table
(`locate`), then against the current item (`condition`), and computes the new item (`outcome`). These are separate
methods because a transaction calls each of them for all its writes before it calls the next.

Write conditions: the condition on a write, and the error when it fails.

condition = write_condition_of(request, scope)   # ConditionExpression, or Expected with ConditionalOperator
condition.require(old)                           # ConditionalCheckFailedException unless it holds
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Protocol

from tablewright.dynamodb.expressions import ItemCondition, ItemUpdate, Scope, condition
from tablewright.dynamodb.expressions.legacy_parameters import expected, require_conditional_operator_fits
from tablewright.dynamodb.expressions.nodes import (
    AddToValue,
    Arithmetic,
    Assign,
    DeleteFromSet,
    FunctionCall,
    Operand,
    known_type,
)
from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.dynamodb.values.attributes import AttributeValue, Item, admit
from tablewright.dynamodb.values.item_sizes import changed_size, item_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.index_rows import project
from tablewright.engine.core.state.catalog import OtherIndex, StoredTable
from tablewright.engine.core.state.key_schema import EmptyKey, empty_key
from tablewright.errors import ConditionalCheckFailed, ValidationError


class WriteCondition(NamedTuple):
    """A condition that the item must meet before it is written."""

    expression: ItemCondition | None = None
    returns_item: bool = False
    """Whether the error includes the item (ReturnValuesOnConditionCheckFailure)."""

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The attributes of which it reads nested values."""
        return self.expression.nested_attributes if self.expression is not None else frozenset()

    def require(self, item: StoredItem | None) -> None:
        """Raise ConditionalCheckFailed unless the item, or its absence, meets the condition."""
        if self.expression is None or self.expression.matches(item.attributes if item else None):
            return
        raise ConditionalCheckFailed(item=item if self.returns_item else None)


UNCONDITIONAL = WriteCondition()


def write_condition_of(request: Mapping[str, Any], scope: Scope | None = None) -> WriteCondition:
    """The condition of a write request.

    Give a scope when another expression of the request shares the placeholders; finish it when all are bound.
    """
    text = request.get("ConditionExpression")
    if text is not None:
        expression = condition(text, scope) if scope is not None else _alone(text, request)
    else:
        requested, operator = request.get("Expected"), request.get("ConditionalOperator")
        require_conditional_operator_fits(operator, requested)
        if requested is None:
            return UNCONDITIONAL
        expression = expected(requested, operator)
    return WriteCondition(expression, request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD")


def _alone(text: str, request: Mapping[str, Any]) -> ItemCondition:
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    expression = condition(text, scope)
    scope.finish()
    return expression


_INVALID = "One or more parameter values were invalid: "


class Write(Protocol):
    """A requested change of one item."""

    @property
    def table(self) -> str:
        """The name of the table."""

    @property
    def condition(self) -> WriteCondition:
        """The condition that the current item must meet."""

    def locate(self, table: StoredTable) -> bytes:
        """The item's key bytes; raises ValidationError when the write does not fit the table."""

    def outcome(self, table: StoredTable, old: StoredItem | None) -> StoredItem | None:
        """The new item, computed from the current one; None deletes it."""


class PutItemWrite(NamedTuple):
    """Write a whole item."""

    table: str
    item: StoredItem
    condition: WriteCondition

    def locate(self, table: StoredTable) -> bytes:
        """The key bytes, taken from the item."""
        key = table.key_of_item(self.item.attributes)
        if table.local_indexes:
            require_item_size(size_with_local_rows(table, self.item))
        if self.condition.expression is not None:
            table.require_scalar_keys(self.condition.nested_attributes)
        return key

    def outcome(self, table: StoredTable, old: StoredItem | None) -> StoredItem | None:
        """The given item."""
        return self.item


class DeleteItemWrite(NamedTuple):
    """Delete an item."""

    table: str
    key: Item
    condition: WriteCondition

    def locate(self, table: StoredTable) -> bytes:
        """The key bytes; the key must be complete."""
        return _key_of(table, self.key, self.condition)

    def outcome(self, table: StoredTable, old: StoredItem | None) -> StoredItem | None:
        """None: the item is deleted."""
        return None


class CheckItem(NamedTuple):
    """Check a condition without changing the item: only in a transaction."""

    table: str
    key: Item
    condition: WriteCondition

    def locate(self, table: StoredTable) -> bytes:
        """The key bytes; the key must be complete."""
        return _key_of(table, self.key, self.condition)

    def outcome(self, table: StoredTable, old: StoredItem | None) -> StoredItem | None:
        """The current item."""
        return old


class Edit(NamedTuple):
    """Change attributes of an item, or create the item with them."""

    table: str
    key: Item
    update: ItemUpdate
    condition: WriteCondition

    def locate(self, table: StoredTable) -> bytes:
        """The key bytes; the update must not change the key, nor give an index key another type."""
        key = table.keys.of_key(self.key)
        _require_key_untouched(table, self.update)
        if not table.indexed.isdisjoint(self.update.actions.attributes):
            _require_index_types(table, self.update)
        table.require_scalar_keys(self.update.actions.nested_attributes | self.condition.nested_attributes)
        return key

    def outcome(self, table: StoredTable, old: StoredItem | None) -> StoredItem | None:
        """The item with the update applied; an update that only removes attributes does not create an item."""
        if old is None and self.update.actions.only_remove:
            return None
        before, size = (old.attributes, old.size) if old is not None else (self.key, item_size(self.key))
        item = self.update.apply(before)
        size += changed_size(before, item, self.update.actions.attributes)
        require_updated_size(size)
        if not table.indexed.isdisjoint(self.update.actions.attributes):
            _require_indexable(table, self.update, item)
        for name in self.update.actions.nested_attributes:
            if name in item:
                _require_depth(item[name])
        new = StoredItem.of(item, size)
        if table.local_indexes:
            require_updated_size(size_with_local_rows(table, new))
        return new


def _require_depth(value: AttributeValue) -> None:
    """Reject a value that became nested too deep by the update."""
    try:
        admit(value)
    except ValidationError:
        raise ValidationError("Nesting Levels have exceeded supported limits") from None


def require_item_size(size: int) -> None:
    """Reject an item that is too large to put."""
    if size > MAX_ITEM_SIZE:
        raise ValidationError("Item size has exceeded the maximum allowed size")


def size_with_local_rows(table: StoredTable, item: StoredItem) -> int:
    """The bytes of an item and of its rows in local indexes, which count towards its largest size."""
    if item.size * (1 + len(table.local_indexes)) <= MAX_ITEM_SIZE:
        return item.size  # even rows with the whole item would fit
    rows = [
        project(index, item) for index in table.local_indexes if index.keys.find(item.attributes) is not None
    ]
    return item.size + sum(row.size for row in rows)


def require_updated_size(size: int) -> None:
    """Reject an update whose result, or whose own size, is too large."""
    if size > MAX_ITEM_SIZE:
        raise ValidationError("Item size to update has exceeded the maximum allowed size")


def _key_of(table: StoredTable, key: Item, condition: WriteCondition) -> bytes:
    located = table.keys.of_key(key)
    if condition.expression is not None:
        table.require_scalar_keys(condition.nested_attributes)
    return located


def _require_key_untouched(table: StoredTable, update: ItemUpdate) -> None:
    touched = update.actions.attributes
    for name in table.keys.names:
        if name in touched:
            raise ValidationError(
                f"{_INVALID}Cannot update attribute {name}. This attribute is part of the key"
            )


def _require_index_types(table: StoredTable, update: ItemUpdate) -> None:
    """Reject, before any item is read, operands that can never be the key of an index."""
    operands = {
        action.path.attribute: action.value
        for action in update.actions
        if isinstance(action, Assign | AddToValue | DeleteFromSet) and len(action.path.parts) == 1
    }
    for index in table.indexes:
        for name, kind in index.keys.types.items():
            operand = operands.get(name)
            if operand is None:
                continue
            actual = _type_to_be(operand)
            if actual is not None and actual != kind:
                raise ValidationError(
                    f"{_INVALID}Type mismatch for Index Key {name} Expected: {kind} Actual: {actual} "
                    f"IndexName: {index.name}"
                )
            value = update.fixed_value(operand)
            if value is not None:
                _require_content(value, kind)


def _type_to_be(operand: Operand) -> str | None:
    """The type that an operand has for every item, or None when it depends on the item."""
    match operand:
        case Arithmetic():
            return "N"
        case FunctionCall("list_append"):
            return "L"
        case _:
            return known_type(operand)


def _require_indexable(table: StoredTable, update: ItemUpdate, item: Item) -> None:
    """Reject a computed value that cannot be an index's key."""
    touched = update.actions.attributes
    for index in table.indexes:
        if not any(name in touched for name in index.keys.names):
            continue
        for name, kind in index.keys.types.items():
            if name in touched and name in item:
                if kind not in item[name]:
                    raise ValidationError(
                        "The update expression attempted to update the secondary index key to unsupported type"
                    )
                _require_content(item[name], kind)
        if index.keys.fits(item):
            index.keys.require_sizes(item)
    for other_index in table.other_indexes:
        _require_other_fits(other_index, touched, item)


def _require_other_fits(index: OtherIndex, touched: Collection[str], item: Item) -> None:
    index.require_fit(item, touched)
    if index.hash is None:
        return
    for name, kind in index.hash.types.items():
        if name in touched and name in item:
            _require_content(item[name], kind)
            index.hash.require_sizes(item)


def _require_content(value: AttributeValue, kind: str) -> None:
    if not value[kind]:
        raise EmptyKey(
            "One or more parameter values are not valid. The update expression attempted to update a secondary "
            f"index key to a value that is not supported. {empty_key(kind)}"
        )
