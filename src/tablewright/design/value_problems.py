"""Value problems: what is wrong with a value, in words that name the field: `Order.total must be a valid decimal`.

Pydantic's own messages begin with "Input should be", and do not say which class the field belongs to.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

_SUBJECT = re.compile(r"^(?:[A-Z][a-z]+(?: input)?|URL|UUID|JSON) should ")
_PREFIX = re.compile(r"^(?:Value error|Assertion failed), ")
_PREDICATE = re.compile(r"^(?:must|should|is|are|has|have|needs|cannot|may) ")
_MOST_SHOWN = 60
"""Characters of a value that a message shows."""
_LENGTHS = {
    "string_too_short": "at least {min_length} character",
    "string_too_long": "at most {max_length} character",
    "too_short": "at least {min_length} item",
    "too_long": "at most {max_length} item",
}
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    (str, "text"),
    ((int, float, Decimal), "a number"),
    ((bytes, bytearray), "binary"),
    (dict, "a map"),
    ((list, tuple), "a list"),
    ((set, frozenset), "a set"),
)


def problems_of(error: ValidationError) -> list[ErrorDetails]:
    """The problems of an error, with the values that are wrong."""
    return error.errors(include_url=False, include_context=True, include_input=True)


def describe_problems(
    problems: Iterable[ErrorDetails],
    owner: str = "",
    *,
    secrets: frozenset[str] = frozenset(),
    shows_values: bool = True,
) -> str:
    """Say what is wrong with each field of `owner`, a class or a field.

    Without `shows_values` only the kind of a value is named. Problems of secret fields are named without any detail.
    The message of a validator of the class may quote any field, so it is left out when one is secret.

    >>> from pydantic import BaseModel
    >>> class Order(BaseModel):
    ...     total: int
    ...     note: str
    >>> try:
    ...     Order(total="a lot")
    ... except ValidationError as error:
    ...     print(describe_problems(problems_of(error), "Order"))
    Order.total must be a valid integer, got 'a lot'; Order.note is required
    """
    texts = []
    for problem in problems:
        where = place_text(owner, problem["loc"])
        location = problem["loc"]
        if location[0] in secrets if location else bool(secrets):
            texts.append(f"{where or 'the whole item'} is not valid")
        else:
            texts.append(_sentence(where, problem, shows_values))
    return "; ".join(dict.fromkeys(texts))


def place_text(owner: str, location: Sequence[int | str]) -> str:
    """The path to a value in a class or a field.

    >>> place_text("Order", ("lines", 0, "unit price")), place_text("", ("address", "city"))
    ("Order.lines[0]['unit price']", 'address.city')
    """
    text = owner
    for part in location:
        if isinstance(part, str) and part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f"[{part!r}]"
    return text


def _sentence(where: str, problem: ErrorDetails, shows_values: bool) -> str:
    predicate = _predicate(problem)
    shown = _shown(problem, predicate, shows_values)
    if not where or predicate.startswith(f"{where} has no "):
        return f"{predicate}{shown}"
    return f"{where} {predicate}{shown}" if _PREDICATE.match(predicate) else f"{where}: {predicate}{shown}"


def _predicate(problem: ErrorDetails) -> str:
    kind, message = problem["type"], problem["msg"]
    if kind == "missing":
        return "is required"
    if kind == "extra_forbidden":
        return message if " has no " in message else "is not a known name"
    if kind in _LENGTHS:
        limits = problem["ctx"]
        plural = "" if limits.get("min_length", limits.get("max_length")) == 1 else "s"
        return f"must have {_LENGTHS[kind].format_map(limits)}{plural}"
    if kind.endswith(("_parsing", "_from_float", "_inexact")):
        message = message.partition(",")[0]
    message = _PREFIX.sub("", message)
    if message.startswith("Invalid isoformat string"):
        return "must be a time, such as 2026-01-31T12:00:00Z"
    return _SUBJECT.sub("must ", message)


def _shown(problem: ErrorDetails, predicate: str, shows_values: bool) -> str:
    """The wrong value, or its kind, as the end of a sentence."""
    kind, value = problem["type"], problem["input"]
    of_model = kind in ("value_error", "assertion_error") and isinstance(value, dict | BaseModel)
    if of_model or kind in ("missing", "extra_forbidden", "vector"):
        return ""
    if kind in ("too_short", "too_long"):
        return f", got {problem['ctx']['actual_length']}"
    if not shows_values:
        is_kind = kind.endswith(("_type", "_parsing")) and kind != "none_required"
        return f", got {_kind_of(value)}" if is_kind else ""
    text = short_text(value)
    return "" if text in predicate else f", got {text}"


def short_text(value: Any) -> str:
    """A value for messages: plain values as they are, long ones shortened, others by their kind.

    >>> short_text(3), short_text("x" * 100)[:10], short_text([1, 2])
    ('3', "'xxxxxxxxx", 'a list')
    """
    if value is not None and not isinstance(
        value, str | int | float | Decimal | date | timedelta | UUID | Enum
    ):
        return _kind_of(value)
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _kind_of(value: Any) -> str:
    if value is None:
        return "None"
    for kinds, words in _KINDS:
        if isinstance(value, kinds):
            return words
    return f"an instance of {type(value).__name__}"
