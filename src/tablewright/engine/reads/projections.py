"""Projections: the attributes that a read returns, from either form of the parameter."""

from collections.abc import Mapping
from typing import Any

from tablewright.expressions import Projection, Scope, projection
from tablewright.expressions.legacy_parameters import attributes_to_get


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
