"""Descriptions for messages: a condition as it is written in Python, an argument of the wrong kind in a few words."""

from dataclasses import is_dataclass
from enum import Enum
from inspect import isbuiltin, isfunction
from typing import Any

from pydantic import BaseModel

from tablewright.design.fields.conditions import (
    Between,
    Both,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Function,
    Not,
    OneOf,
    Size,
)
from tablewright.design.fields.entity_attributes import Attribute, AttributeSize, path_source

_OPERATORS = {"=": "==", "<>": "!=", "AND": "&", "OR": "|"}
_METHODS = {"attribute_exists": "exists", "attribute_not_exists": "is_absent"}


def condition_source(entity: str, condition: Condition) -> str:
    """The Python text of a condition on an entity; values of secret fields are masked.

    >>> from tablewright.design.fields.entity_attributes import Attribute
    >>> condition_source("User", (Attribute("visits") > 3) & ~Attribute("address", "city").exists())
    '(User.visits > 3) & ~User.address.city.exists()'
    """
    match condition:
        case Comparison(operator, operand, value):
            shown = _value(entity, operand)
            return f"{shown} {_OPERATORS.get(operator, operator)} {_value(entity, value)}"
        case Between(operand, low, high):
            return f"{_value(entity, operand)}.between({_value(entity, low)}, {_value(entity, high)})"
        case OneOf(operand, values):
            shown = ", ".join(_value(entity, value) for value in values)
            return f"{_value(entity, operand)}.one_of({shown})"
        case Function("attribute_exists" | "attribute_not_exists", path):
            return f"{_value(entity, path)}.{_METHODS[condition.function]}()"
        case Function(function, path, value):
            return f"{_value(entity, path)}.{function}({_value(entity, value)})"
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
    match value:
        case FieldPath():
            return path_source(value, entity)
        case Size(path):
            return f"{path_source(path, entity)}.size()"
        case FilterParameter(name):
            return f"fields.parameter({name!r})"
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case _:
            return repr(value)


def describe_argument(value: Any) -> str:
    """What a caller gave, in a few words: plain values as they are, other objects by their class.

    >>> describe_argument(3), describe_argument(int), describe_argument(Attribute("visits"))
    ('3', 'the class int', 'the field visits')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, Attribute):
        return f"the field {value!r}"
    if isinstance(value, AttributeSize):
        return f"the size {value!r}"
    if isinstance(value, Condition):
        return "a condition"
    if isfunction(value) or isbuiltin(value):
        return f"the function {value.__name__}"
    if isinstance(value, BaseModel) or is_dataclass(value):
        return f"an instance of {type(value).__name__}"
    return (
        repr(value)
        if isinstance(value, str | int | float | None)
        else f"an instance of {type(value).__name__}"
    )
