"""Given values: how messages name an argument of the wrong kind, without the internals of the library."""

from dataclasses import is_dataclass
from inspect import isbuiltin, isfunction
from typing import Any

from pydantic import BaseModel

from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.entity_attributes import Attribute, AttributeSize


def describe_given(value: Any) -> str:
    """What a caller gave, in a few words: plain values as they are, other objects by their class.

    >>> describe_given(3), describe_given(int), describe_given(Attribute("visits"))
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
