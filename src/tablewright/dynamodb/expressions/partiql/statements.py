"""Statements bound to a request's parameters, before they are checked against a table.

Select lists: the columns of each item, and their names.
"""

from typing import TypeAlias

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.expressions.evaluation import value_at
from tablewright.dynamodb.expressions.nodes import ConditionNode, Path
from tablewright.dynamodb.expressions.partiql.expression_grammar import column_name, path_of
from tablewright.dynamodb.expressions.partiql.statement_nodes import ColumnNode
from tablewright.dynamodb.expressions.projection import Projection
from tablewright.dynamodb.expressions.update import ItemUpdate
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ValidationError


class Columns(Projection):
    """Columns of a select list, each with the last name of its path.

    >>> Columns((Path(("m", "k")), Path(("a",)))).of({"m": {"M": {"k": {"N": "1"}}}})
    {'k': {'N': '1'}}
    """

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self.paths = paths
        self._named = [(column_name(path), path.parts) for path in paths]

    def of(self, item: Item) -> Item:
        """The columns of an item; paths that the item does not have are left out."""
        values = ((name, value_at(item, parts)) for name, parts in self._named)
        return {name: value for name, value in values if value is not None}


def columns_of(entries: tuple[ColumnNode, ...]) -> Columns | None:
    """The columns of a select list; None for `*`."""
    paths = []
    seen: set[str] = set()
    for entry in entries:
        if entry.node is None:
            return None
        path = path_of(entry.node)
        if path is None:
            raise ValidationError(f"Unexpected path component at {entry.span}")
        name = column_name(path)
        if name in seen:
            raise ValidationError(f"Duplicate identifiers in select clause: {name}")
        seen.add(name)
        paths.append(path)
    return Columns(tuple(paths))


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
    columns: tuple[ColumnNode, ...]
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
class UpdateStatement:
    """Change attributes of an item that must exist."""

    table: str
    index: str | None
    update: ItemUpdate
    where: ConditionNode | None
    returning: str | None


@dataclass(frozen=True, slots=True)
class DeleteStatement:
    """Delete an item."""

    table: str
    index: str | None
    where: ConditionNode | None
    returning: str | None


Statement: TypeAlias = Select | Exists | Insert | UpdateStatement | DeleteStatement
