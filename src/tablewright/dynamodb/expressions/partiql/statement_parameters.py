"""The parameters of a statement, as attribute values. Errors have the messages of AWS's older layer."""

from collections.abc import Iterable
from typing import Any

from tablewright.dynamodb.values.attributes import AttributeValue, normalise
from tablewright.errors import ValidationError


def parameters_of(given: Iterable[Any] | None) -> list[AttributeValue]:
    """The parameters of a request, validated in order.

    >>> parameters_of([{"N": "1e2"}])
    [{'N': '100'}]
    """
    return [_parameter(value) for value in given or ()]


def _parameter(value: Any) -> AttributeValue:
    try:
        return normalise(value)
    except ValidationError as error:
        raise ValidationError(error.older) from None
