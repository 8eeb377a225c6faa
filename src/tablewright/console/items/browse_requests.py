"""Browse requests: what the items view reads, as a Query or Scan request."""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from tablewright.access.condition_text import Aliases
from tablewright.console.endpoints import MAX_LIMIT, Body
from tablewright.console.items.browse_filters import (
    AttributeCondition,
    chosen_layouts,
    condition_expression,
    entity_expression,
    prefix_expression,
    text_filter,
)
from tablewright.console.items.key_texts import (
    key_attribute,
    partition_attributes,
    partition_key,
    sort_attributes,
)
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import Role
from tablewright.design.indexes import Index
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.errors import UsageError

SortOperator = Literal["=", "<", "<=", ">", ">=", "between", "begins_with"]


class SortCondition(Body):
    """A condition on the first attribute of the sort key."""

    operator: SortOperator
    values: list[str] = Field(min_length=1, max_length=2)


class Browse(Body):
    """Which items are read: a partition of a table or index, or all its items; and which of them are returned."""

    table: str
    index: str | None = None
    partition: list[str] | None = None
    """The values of the partition key, as text; without it, all items are read."""
    sort: SortCondition | None = None
    descending: bool = False
    """Read a partition from its end."""
    entity: str | None = None
    role: Role | None = None
    prefix: str | None = None
    """The beginning of the partition key, when all items are read."""
    filter: str | None = None
    """A filter over field names: `visits > 3 AND address.city = 'Berlin'`."""
    conditions: list[AttributeCondition] = Field(default=[], max_length=20)
    seen_in: str | None = None
    """Compare each item with its row in this index, or with `table`."""
    limit: int = Field(default=100, ge=1, le=MAX_LIMIT)
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class BrowseRequest:
    """A request that reads items, and what it reads."""

    table: Table
    index: Index | None
    operation: Literal["Query", "Scan"]
    members: dict[str, Any]
    """The request without its position and limit."""
    layout: Layout | None
    """The chosen entity."""
    role: Role | None

    @property
    def is_filtered(self) -> bool:
        """Whether fewer items may be returned than were read."""
        return "FilterExpression" in self.members or self.layout is not None or self.role is not None

    @property
    def position_attributes(self) -> tuple[str, ...]:
        """The attributes of the keys that say where a page ended."""
        return tuple(dict.fromkeys((*(self.index.key if self.index else ()), *self.table.key)))


def browse_request(opened: OpenDesign, browse: Browse) -> BrowseRequest:
    """Return the request of a `Browse`; `UsageError` names what cannot work."""
    table = opened.table(browse.table)
    index = table.index(browse.index) if browse.index is not None else None
    layouts = chosen_layouts(opened, table, browse.entity)
    aliases = Aliases()
    members: dict[str, Any] = {"TableName": browse.table, "ReturnConsumedCapacity": "TOTAL"}
    if index is not None:
        members["IndexName"] = index.name
    filters: list[str] = []
    if browse.partition is not None:
        members["KeyConditionExpression"] = _key_condition(aliases, table, index, browse)
        if browse.descending:
            members["ScanIndexForward"] = False
    else:
        filters += _scan_filters(aliases, table, index, browse)
    if browse.entity is not None:
        expression = entity_expression(aliases, layouts[0], index, is_scan=browse.partition is None)
        filters += [expression] if expression else []
    filters += [
        condition_expression(opened, table, layouts, aliases, condition) for condition in browse.conditions
    ]
    _add_expressions(members, aliases, filters, layouts, browse.filter)
    return BrowseRequest(
        table,
        index,
        "Query" if browse.partition is not None else "Scan",
        members,
        layouts[0] if browse.entity is not None else None,
        browse.role,
    )


def _add_expressions(
    members: dict[str, Any], aliases: Aliases, filters: list[str], layouts: list[Layout], text: str | None
) -> None:
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    if text is not None and text.strip():
        compiled, values = text_filter(layouts, text.strip())
        names = dict(compiled.names)
        filters = [*filters, f"({compiled.expression})"]
    if filters:
        members["FilterExpression"] = " AND ".join(filters)
    made = aliases.members()
    if names := made.get("ExpressionAttributeNames", {}) | names:
        members["ExpressionAttributeNames"] = names
    if values := made.get("ExpressionAttributeValues", {}) | values:
        members["ExpressionAttributeValues"] = values


def _key_condition(aliases: Aliases, table: Table, index: Index | None, browse: Browse) -> str:
    if browse.prefix is not None:
        raise UsageError("prefix is the beginning of a partition key; leave it out when partition is given")
    key = partition_key(table, index, browse.partition or [])
    terms = [f"{aliases.name(name)} = {aliases.value(value)}" for name, value in key.items()]
    if browse.sort is not None:
        terms.append(_sort_term(aliases, table, index, browse.sort))
    return " AND ".join(terms)


def _scan_filters(aliases: Aliases, table: Table, index: Index | None, browse: Browse) -> list[str]:
    if browse.descending:
        raise UsageError("descending is for a partition; all items of a table have no order")
    terms = []
    if browse.prefix:
        terms.append(prefix_expression(aliases, table, partition_attributes(table, index)[0], browse.prefix))
    if browse.sort is not None:
        terms.append(_sort_term(aliases, table, index, browse.sort))
    return terms


def _sort_term(aliases: Aliases, table: Table, index: Index | None, condition: SortCondition) -> str:
    names = sort_attributes(table, index)
    if not names:
        place = f"index {index.name}" if index else "this table"
        raise UsageError(f"{place} has no sort key; leave sort out")
    needed = 2 if condition.operator == "between" else 1
    if len(condition.values) != needed:
        raise UsageError(f"{condition.operator} takes {needed} value(s), got {len(condition.values)}")
    if condition.operator == "begins_with" and table.type_of(names[0]) == "N":
        raise UsageError(f"{names[0]} is a number, which has no prefix; use between")
    name = aliases.name(names[0])
    values = [aliases.value(key_attribute(table, names[0], text)) for text in condition.values]
    match condition.operator:
        case "between":
            return f"{name} BETWEEN {values[0]} AND {values[1]}"
        case "begins_with":
            return f"begins_with({name}, {values[0]})"
        case _:
            return f"{name} {condition.operator} {values[0]}"
