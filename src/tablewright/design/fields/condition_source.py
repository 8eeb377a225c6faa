"""Condition source: a condition as it is written in Python, for messages."""

from enum import Enum
from typing import Any

from tablewright.design.fields.conditions import (
    Attribute,
    Between,
    Both,
    Comparison,
    Condition,
    Function,
    Not,
    OneOf,
)

_OPERATORS = {"=": "==", "<>": "!=", "AND": "&", "OR": "|"}
_METHODS = {"attribute_exists": "exists", "attribute_not_exists": "is_absent"}


def condition_source(entity: str, condition: Condition) -> str:
    """The Python text of a condition on an entity; values of secret fields are masked.

    >>> condition_source("User", (Attribute("visits") > 3) & ~Attribute("name").exists())
    '(User.visits > 3) & ~User.name.exists()'
    """
    match condition:
        case Comparison(operator, name, value):
            return f"{entity}.{name} {_OPERATORS.get(operator, operator)} {_value(entity, value)}"
        case Between(name, low, high):
            return f"{entity}.{name}.between({_value(entity, low)}, {_value(entity, high)})"
        case OneOf(name, values):
            return f"{entity}.{name}.one_of({', '.join(_value(entity, value) for value in values)})"
        case Function(function, name, None):
            return f"{entity}.{name}.{_METHODS.get(function, function)}()"
        case Function(function, name, value):
            return f"{entity}.{name}.{function}({_value(entity, value)})"
        case Both(operator, left, right):
            first = _operand(entity, left, within=operator)
            return f"{first} {_OPERATORS[operator]} {_operand(entity, right)}"
        case Not(inner):
            return f"~{_operand(entity, inner)}"
        case _:
            return str(condition)


def _operand(entity: str, condition: Condition, within: str = "") -> str:
    """An operand of `&`, `|` or `~`, in parentheses where Python needs them."""
    text = condition_source(entity, condition)
    is_chain = isinstance(condition, Both) and condition.operator == within
    needs = isinstance(condition, Comparison | Both) and not is_chain
    return f"({text})" if needs else text


def _value(entity: str, value: Any) -> str:
    if isinstance(value, Attribute):
        return f"{entity}.{value.name}"
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
