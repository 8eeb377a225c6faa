"""Projections: the attributes that a read returns, from either form of the parameter."""

from collections.abc import Mapping
from typing import Any

from tablewright.dynamodb.expressions import Projection, Scope, projection
from tablewright.dynamodb.expressions.legacy_parameters import attributes_to_get
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import StoredItem, encode

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
