"""Parameters in pairs: DynamoDB takes a condition, filter, update or projection as an expression or in its older form.

Never both in one request, and placeholders only with expressions that could use them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.errors import ValidationError


def refuse_mixture(request: Mapping[str, Any], expressions: Sequence[str], older: Sequence[str]) -> None:
    """Refuse expression and older parameters in one request, and placeholders that no expression could use.

    `expressions` are the expression parameters of the operation, in the order AWS names them.
    """
    used = [name for name in expressions if request.get(name) is not None]
    if used:
        _refuse_older(request, used, older)
    elif request.get("ExpressionAttributeNames") is not None:
        raise ValidationError("ExpressionAttributeNames can only be specified when using expressions")
    if request.get("ExpressionAttributeValues") is not None:
        _require_use_of_values(request, expressions)


def _refuse_older(request: Mapping[str, Any], used: Sequence[str], older: Sequence[str]) -> None:
    # KeyConditions may stand beside any expression but its own counterpart.
    old = [
        name
        for name in older
        if request.get(name) is not None and (name != "KeyConditions" or "KeyConditionExpression" in used)
    ]
    if old:
        raise ValidationError(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(old)}}} Expression parameters: {{{', '.join(used)}}}"
        )


def _require_use_of_values(request: Mapping[str, Any], expressions: Sequence[str]) -> None:
    takers = [name for name in expressions if name != "ProjectionExpression"]
    if takers and all(request.get(name) is None for name in takers):
        verb = "is" if len(takers) == 1 else "are"
        raise ValidationError(
            "ExpressionAttributeValues can only be specified when using expressions: "
            f"{' and '.join(takers)} {verb} null"
        )
