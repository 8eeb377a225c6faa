"""Parameter styles: expressions and legacy parameters, which a request may not mix."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tablewright.errors import ValidationError

_WITHOUT_VALUES = "ProjectionExpression"


def require_one_style(
    request: Mapping[str, Any], expressions: tuple[str, ...], legacy: tuple[str, ...]
) -> None:
    """Reject expressions together with legacy parameters, and placeholders without expressions.

    `expressions` and `legacy` are the parameters of the operation, in the order AWS lists them.

    >>> require_one_style({"AttributesToGet": ["a"]}, ("ProjectionExpression",), ("AttributesToGet",))
    """
    given = tuple([name for name, member in request.items() if member is not None])
    _require_one_style(given, expressions, legacy)


@lru_cache(maxsize=1024)
def _require_one_style(given: tuple[str, ...], expressions: tuple[str, ...], legacy: tuple[str, ...]) -> None:
    used = [name for name in expressions if name in given]
    if used:
        _require_no_legacy(given, used, legacy)
    elif "ExpressionAttributeNames" in given:
        raise ValidationError("ExpressionAttributeNames can only be specified when using expressions")
    with_values = [name for name in expressions if name != _WITHOUT_VALUES]
    if "ExpressionAttributeValues" not in given or any(name in used for name in with_values):
        return
    if with_values:
        verb = "are" if len(with_values) > 1 else "is"
        message = "ExpressionAttributeValues can only be specified when using expressions"
        raise ValidationError(message, older=f"{message}: {' and '.join(with_values)} {verb} null")


def _require_no_legacy(given: Sequence[str], used: Sequence[str], legacy: Sequence[str]) -> None:
    clashing = [name for name in legacy if name in given]
    if "KeyConditionExpression" not in used and "KeyConditions" in clashing:
        # A Query may combine KeyConditions with a FilterExpression or ProjectionExpression.
        clashing.remove("KeyConditions")
    if clashing:
        raise ValidationError(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(clashing)}}} "
            f"Expression parameters: {{{', '.join(used)}}}"
        )
