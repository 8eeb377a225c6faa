"""Filter demands: the values with which an entity passes a filter, as far as single fields decide it.

Of alternatives, the first is enough. Conditions on nested fields and on sizes demand only that the field is present.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tablewright.design.fields.conditions import (
    Between,
    Both,
    Comparison,
    Condition,
    FieldPath,
    Function,
    Not,
    OneOf,
    Operator,
    Parameter,
    Size,
)


class _Present:
    """Any value but None."""

    def __repr__(self) -> str:
        return "PRESENT"


PRESENT = _Present()


def demands(condition: Condition, parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields in a condition, each with its value; `PRESENT` is any value but None, and None is no value.

    >>> path = FieldPath(None, ("visits",))
    >>> list(demands(Comparison(">", path, 3), {})), list(demands(Function("attribute_not_exists", path), {}))
    ([('visits', 4)], [('visits', None)])
    """
    match condition:
        case Both("AND", left, right):
            yield from demands(left, parameters)
            yield from demands(right, parameters)
        case Both(_, left, _):
            yield from demands(left, parameters)
        case Not(Function("attribute_exists", path)) | Function("attribute_not_exists", path):
            yield path.name, None
        case Comparison(operator, FieldPath(parts=(str(name),)), value):
            yield name, _compared(operator, _known(value, parameters))
        case OneOf(FieldPath(parts=(str(name),)), values):
            yield name, _known(values[0], parameters)
        case Between(FieldPath(parts=(str(name),)), low, _):
            yield name, _known(low, parameters)
        case Comparison(_, operand, _) | OneOf(operand, _) | Between(operand, _, _):
            yield from ((path.name, PRESENT) for path in _paths(operand))
        case Function(_, path, _):
            yield path.name, PRESENT
        case _:
            return


def _paths(operand: Any) -> Iterator[FieldPath]:
    if isinstance(operand, Size):
        yield operand.path
    elif isinstance(operand, FieldPath):
        yield operand


def _known(value: Any, parameters: Mapping[str, Any]) -> Any:
    """The value of an operand before a pattern runs: a constant, or the default of a parameter."""
    if isinstance(value, Parameter):
        return parameters.get(value.name, PRESENT)
    return PRESENT if isinstance(value, FieldPath | Size) or value is None else value


def _compared(operator: Operator, value: Any) -> Any:
    """A value for which a comparison holds."""
    if value is PRESENT or operator in ("=", "<=", ">="):
        return value
    sign = -1 if operator == "<" else 1
    if isinstance(value, bool):
        return not value if operator == "<>" else PRESENT
    if isinstance(value, int | float | Decimal):
        return value + sign
    if isinstance(value, date):
        return value + sign * timedelta(days=1)
    return PRESENT
