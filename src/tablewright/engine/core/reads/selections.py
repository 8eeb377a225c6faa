"""Selections: which items of a page are returned, and which attributes (Select, filter, projection).

Projections: the attributes that a read returns, from either form of the parameter.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import ItemCondition, Projection, Scope, condition, projection
from tablewright.dynamodb.expressions.legacy_parameters import (
    attributes_to_get,
    filter_conditions,
    require_conditional_operator_fits,
)
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import StoredItem, encode
from tablewright.engine.core.reads.read_sources import ReadSource
from tablewright.errors import ValidationError

_INVALID = "One or more parameter values were invalid: "


class Selection(NamedTuple):
    """The part of the rows that a Query or Scan returns."""

    select: str | None
    projection: Projection | None
    filter: ItemCondition | None

    @property
    def counts_only(self) -> bool:
        """Whether items are counted and not returned."""
        return self.select == "COUNT"

    def fetches(self, source: ReadSource) -> bool:
        """Whether a local index must be completed from its table."""
        if source.index is None or source.index.projected is None:
            return False
        if self.projection is not None:
            return not all(map(source.has_attribute, self.projection.attributes))
        return self.select == "ALL_ATTRIBUTES"

    def require_filter_without_keys(self, source: ReadSource, parameter: str) -> None:
        """Reject a Query's filter on key attributes, or on attributes that the index does not contain."""
        if self.filter is None:
            return
        filtered = self.filter.attributes
        for name in source.keys.names:
            if name in filtered:
                raise ValidationError(
                    f"{parameter} can only contain non-primary key attributes: Primary key attribute: {name}"
                )
        if missing := _missing(source, filtered):
            assert source.index is not None
            raise ValidationError(
                f"{_INVALID}Secondary index {source.index.name} does not project one or more filter attributes: "
                f"[{missing}]"
            )

    def require_projected(self, source: ReadSource) -> None:
        """Reject attributes that a global index does not contain; a local index is completed from its table."""
        index = source.index
        if index is None or index.kind == "local" or index.projected is None:
            return
        if self.select == "ALL_ATTRIBUTES":
            raise ValidationError(
                f"{_INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
                "because its projection type is not ALL"
            )
        if self.projection is not None and (missing := _missing(source, self.projection.attributes)):
            raise ValidationError(
                f"{_INVALID}Global secondary index {index.name} does not project [{missing}]"
            )


def _missing(source: ReadSource, names: tuple[str, ...]) -> str:
    return ", ".join(name for name in names if not source.has_attribute(name))


def require_select_fits(request: Mapping[str, Any], *, envelope: str = "") -> None:
    """Reject a Select that contradicts the request's other parameters; `envelope` precedes the messages."""
    select = request.get("Select")
    if select is None:
        return
    shown = next((name for name in ("AttributesToGet", "ProjectionExpression") if request.get(name)), None)
    if select == "SPECIFIC_ATTRIBUTES":
        if shown is None:
            raise ValidationError(
                f"{envelope}Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                "SPECIFIC_ATTRIBUTES"
            )
    elif shown is not None:
        requested = "only the Count" if select == "COUNT" else select
        raise ValidationError(f"{envelope}Cannot specify the {shown} when choosing to get {requested}")
    elif select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        raise ValidationError(
            f"{envelope}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


def legacy_filter(request: Mapping[str, Any], parameter: str) -> ItemCondition | None:
    """The filter in its older form: QueryFilter or ScanFilter, with ConditionalOperator."""
    conditions, operator = request.get(parameter), request.get("ConditionalOperator")
    kept = None if conditions is None else filter_conditions(conditions, operator)
    require_conditional_operator_fits(operator, conditions)
    return kept


def legacy_projection(request: Mapping[str, Any]) -> Projection | None:
    """The projection in its older form, AttributesToGet."""
    names = request.get("AttributesToGet")
    return None if names is None else attributes_to_get(names)


def selection_of(
    request: Mapping[str, Any],
    scope: Scope,
    older_filter: ItemCondition | None,
    older_projection: Projection | None,
) -> Selection:
    """The selection of a request whose legacy parameters have been parsed; expressions replace them."""
    text = request.get("FilterExpression")
    kept = older_filter if text is None else condition(text, scope, "FilterExpression")
    text = request.get("ProjectionExpression")
    shown = older_projection if text is None else projection(text, scope)
    return Selection(request.get("Select"), shown, kept)


# Bytes. A batch of large items would be encoded at once, and freed at once, while no other thread can run.
LARGE_ITEM = 32 * 1024


def projection_of(request: Mapping[str, Any], scope: Scope | None = None) -> Projection | None:
    """The projection of a read request, from ProjectionExpression or AttributesToGet; None shows everything.

    Give a scope when other expressions of the request share the placeholders; finish it when all are bound.
    """
    text = request.get("ProjectionExpression")
    if text is None:
        names = request.get("AttributesToGet")
        return None if names is None else attributes_to_get(names)
    if scope is not None:
        return projection(text, scope)
    own = Scope(request.get("ExpressionAttributeNames"), None)
    shown = projection(text, own)
    own.finish()
    return shown


def projected(shown: Projection | None, item: StoredItem) -> StoredItem | Item:
    """The requested part of an item of a batch; that of a large item is encoded here, one item after the other."""
    if shown is None:
        return item
    part = shown.of(item.attributes)
    return part if item.size < LARGE_ITEM or not part else StoredItem(encode(part), 0)
