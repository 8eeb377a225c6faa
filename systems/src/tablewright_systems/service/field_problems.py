"""Texts of invalid fields: what clients of an API read instead of the messages of Pydantic and Python.

Pydantic calls a JSON object a dictionary, characters of a string items, and each field an input.
"""

import re
from collections.abc import Mapping
from typing import Any

from pydantic.alias_generators import to_camel

TIME = "must be a time, such as 2026-01-31T12:00:00Z"
ZONED_TIME = "must have a time zone, such as 2026-01-31T12:00:00Z"
DAY = "must be a day, such as 2026-01-31"

_TEXTS = {
    "missing": "is required",
    "timezone_aware": ZONED_TIME,
    "int_parsing": "must be an integer",
    "int_type": "must be an integer",
    "int_from_float": "must be an integer",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": "must be a string",
    "list_type": "must be an array",
    "set_type": "must be an array",
    "frozen_set_type": "must be an array",
    "tuple_type": "must be an array",
}
_BODY_TEXTS = {"missing": "the body is missing; send a JSON object"}
_OBJECT_TYPES = {"model_attributes_type", "model_type", "dict_type", "mapping_type"}
_PREFIX = re.compile(r"^(Value error|Assertion failed), ")
_SUBJECT = re.compile(
    r"^(Input|Decimal input|String|Value|List|Set|Tuple|Dictionary|Date|Datetime|Number) should "
)


def problem_text(error: Mapping[str, Any]) -> str:
    """Return the text for one error of Pydantic.

    >>> problem_text({"type": "missing", "loc": ("body", "name"), "msg": "Field required"})
    'is required'
    """
    kind = error["type"]
    is_body = tuple(error["loc"]) == ("body",)
    if kind in _OBJECT_TYPES:
        return "the body must be a JSON object" if is_body else "must be an object"
    if is_body and kind in _BODY_TEXTS:
        return _BODY_TEXTS[kind]
    if kind in _TEXTS:
        return _TEXTS[kind]
    if kind == "extra_forbidden":
        return _unknown_field(str(error["loc"][-1]))
    return _length_text(error) or _time_text(error) or _plain(error["msg"])


def _unknown_field(name: str) -> str:
    """Return the text for a field that a request does not have.

    >>> _unknown_field("boardName"), _unknown_field("board_name")
    ('is not a field of this request', 'is not a field of this request; names are camelCase, such as boardName')
    """
    hint = f"; names are camelCase, such as {to_camel(name)}" if to_camel(name) != name else ""
    return f"is not a field of this request{hint}"


def _length_text(error: Mapping[str, Any]) -> str | None:
    """Return "must have at least 3 characters", or None if the error is not about a length."""
    kind, limits = error["type"], error.get("ctx", {})
    if kind not in ("too_short", "too_long", "string_too_short", "string_too_long"):
        return None
    count = limits["min_length"] if kind.endswith("short") else limits["max_length"]
    unit = "character" if isinstance(error["input"], str) else "item"
    bound = "at least" if kind.endswith("short") else "at most"
    return f"must have {bound} {count} {unit}{'' if count == 1 else 's'}"


def _time_text(error: Mapping[str, Any]) -> str | None:
    """Return what a time or a day must be, or None if the error is not about one."""
    kind, message = error["type"], _PREFIX.sub("", error["msg"])
    if message.startswith("a timestamp needs a time zone"):
        return ZONED_TIME
    if message.startswith("Invalid isoformat string") or kind in ("datetime_parsing", "datetime_type"):
        return TIME
    if kind.startswith("datetime_from_date"):
        return TIME
    if kind in ("date_parsing", "date_type") or kind.startswith("date_from_datetime"):
        return DAY
    return None


def _plain(message: str) -> str:
    """Return a message without Pydantic's words for the field.

    >>> _plain("Value error, must be a name"), _plain("Input should be less than 3")
    ('must be a name', 'must be less than 3')
    """
    return _SUBJECT.sub("must ", _PREFIX.sub("", message))
