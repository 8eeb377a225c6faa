"""Statements bound to a request's parameters, before they are checked against a table."""

from typing import TypeAlias

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.expressions.nodes import ConditionNode
from tablewright.dynamodb.expressions.partiql.select_list import Columns, columns_of
from tablewright.dynamodb.expressions.partiql.statement_nodes import Column
from tablewright.dynamodb.expressions.update import Update as ItemUpdate
from tablewright.dynamodb.values.attributes import Item


@dataclass(frozen=True, slots=True)
class Ordering:
    """One key of ORDER BY."""

    attribute: str
    descending: bool


@dataclass(frozen=True, slots=True)
class Select:
    """Read items of a table or an index."""

    table: str
    index: str | None
    columns: tuple[Column, ...]
    where: ConditionNode | None
    order: tuple[Ordering, ...]

    def projection(self) -> Columns | None:
        """The columns to return; None means all attributes. AWS checks them only after it found the table."""
        return columns_of(self.columns)


@dataclass(frozen=True, slots=True)
class Exists:
    """Check that an item meets a condition: only in a transaction."""

    select: Select

    @property
    def table(self) -> str:
        """The table of the item."""
        return self.select.table


@dataclass(frozen=True, slots=True)
class Insert:
    """Write an item that must not exist yet."""

    table: str
    item: Item


@dataclass(frozen=True, slots=True)
class Update:
    """Change attributes of an item that must exist."""

    table: str
    index: str | None
    update: ItemUpdate
    where: ConditionNode | None
    returning: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete an item."""

    table: str
    index: str | None
    where: ConditionNode | None
    returning: str | None


Statement: TypeAlias = Select | Exists | Insert | Update | Delete
