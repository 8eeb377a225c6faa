"""Statements bound to a request's parameters: what is to be done, before any table is looked at."""

from dataclasses import dataclass
from typing import TypeAlias

from tablewright.expressions.nodes import ConditionNode
from tablewright.expressions.partiql.select_list import Columns, columns_of
from tablewright.expressions.partiql.statement_nodes import Column
from tablewright.expressions.update import Update as ItemUpdate
from tablewright.values.attributes import Item


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
        """What is shown of each item; None is everything. AWS looks at it only when it knows the table."""
        return columns_of(self.columns)


@dataclass(frozen=True, slots=True)
class Exists:
    """Insist that an item meets a condition: only a transaction can."""

    select: Select

    @property
    def table(self) -> str:
        """The table the item is in."""
        return self.select.table


@dataclass(frozen=True, slots=True)
class Insert:
    """Write an item that must not be there yet."""

    table: str
    item: Item


@dataclass(frozen=True, slots=True)
class Update:
    """Change parts of an item that must be there."""

    table: str
    index: str | None
    update: ItemUpdate
    where: ConditionNode | None
    returning: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    """Take an item away."""

    table: str
    index: str | None
    where: ConditionNode | None
    returning: str | None


Statement: TypeAlias = Select | Exists | Insert | Update | Delete
