"""Export filters: which items an export contains, and which of their attributes (FilterSpecification)."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import (
    ItemCondition,
    KeyCondition,
    Projection,
    Scope,
    condition,
    key_condition,
    projection,
)
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.reads.key_ranges import EVERYTHING, Span, span_of
from tablewright.engine.core.requests.shapes import ITEM, NAMES, Text, structure
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.errors import ValidationError

SHAPE = structure(
    "FilterSpecification",
    FilterExpression=Text(),
    ProjectionExpression=Text(),
    KeyConditionExpression=Text(),
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=ITEM,
)


class ExportFilter(NamedTuple):
    """A parsed FilterSpecification; without members, everything is exported."""

    keys: KeyCondition | None = None
    condition: ItemCondition | None = None
    projection: Projection | None = None

    def span(self, table: StoredTable) -> Span:
        """The rows to read; raises ValidationError if the filter does not fit the table."""
        if self.keys is None:
            return EVERYTHING
        for name in table.keys.names if self.condition is not None else ():
            if name in self.condition.attributes:  # type: ignore[union-attr]
                raise ValidationError(
                    f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
                )
        return span_of(self.keys.match(table.keys.hash, table.keys.range, table.keys.types))

    def pick(self, item: StoredItem) -> StoredItem | None:
        """The item as it is exported, or None if it is filtered out."""
        if self.condition is not None and not self.condition.matches(item.attributes):
            return None
        if self.projection is None:
            return item
        picked = self.projection.of(item.attributes)
        return StoredItem.of(picked, item_size(picked))


def filter_of(specification: dict[str, Any] | None) -> ExportFilter:
    """The filter of a request; raises ValidationError if it is not valid."""
    if specification is None:
        return ExportFilter()
    keys, condition_text, projection_text = (
        specification.get(f"{name}Expression") for name in ("KeyCondition", "Filter", "Projection")
    )
    if keys is None and condition_text is None and projection_text is None:
        raise ValidationError(
            "Invalid Request: Invalid FilterSpecification: The specification can not be empty"
        )
    scope = Scope(
        specification.get("ExpressionAttributeNames"), specification.get("ExpressionAttributeValues")
    )
    parsed = ExportFilter(
        None if keys is None else key_condition(keys, scope),
        None if condition_text is None else condition(condition_text, scope, "FilterExpression"),
        None if projection_text is None else projection(projection_text, scope),
    )
    scope.finish()
    return parsed
