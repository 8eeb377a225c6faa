"""Filters: which items an export holds, and which of their attributes (FilterSpecification)."""

from typing import Any, NamedTuple

from tablewright.engine.reads.key_ranges import EVERYTHING, Span, span_of
from tablewright.engine.requests.shapes import ITEM, NAMES, Text, structure
from tablewright.engine.state.catalog import Table
from tablewright.errors import ValidationError
from tablewright.expressions import (
    Condition,
    KeyCondition,
    Projection,
    Scope,
    condition,
    key_condition,
    projection,
)
from tablewright.values.item_sizes import item_size
from tablewright.values.stored_items import StoredItem

SHAPE = structure(
    "FilterSpecification",
    FilterExpression=Text(),
    ProjectionExpression=Text(),
    KeyConditionExpression=Text(),
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=ITEM,
)


class Filter(NamedTuple):
    """What is wanted; nothing is everything."""

    keys: KeyCondition | None = None
    condition: Condition | None = None
    projection: Projection | None = None

    def span(self, table: Table) -> Span:
        """The rows to look at; refuses what does not fit the table."""
        if self.keys is None:
            return EVERYTHING
        for name in table.keys.names if self.condition is not None else ():
            if name in self.condition.attributes:  # type: ignore[union-attr]
                raise ValidationError(
                    f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
                )
        return span_of(self.keys.match(table.keys.hash, table.keys.range, table.keys.types))

    def pick(self, item: StoredItem) -> StoredItem | None:
        """The item as it is exported; None when it is not."""
        if self.condition is not None and not self.condition.matches(item.attributes):
            return None
        if self.projection is None:
            return item
        shown = self.projection.of(item.attributes)
        return StoredItem.of(shown, item_size(shown))


def filter_of(asked: dict[str, Any] | None) -> Filter:
    """The filter of a request, or why it cannot be one."""
    if asked is None:
        return Filter()
    keys, chosen, shown = (
        asked.get(f"{name}Expression") for name in ("KeyCondition", "Filter", "Projection")
    )
    if keys is None and chosen is None and shown is None:
        raise ValidationError(
            "Invalid Request: Invalid FilterSpecification: The specification can not be empty"
        )
    scope = Scope(asked.get("ExpressionAttributeNames"), asked.get("ExpressionAttributeValues"))
    wanted = Filter(
        None if keys is None else key_condition(keys, scope),
        None if chosen is None else condition(chosen, scope, "FilterExpression"),
        None if shown is None else projection(shown, scope),
    )
    scope.finish()
    return wanted
