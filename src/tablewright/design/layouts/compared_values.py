"""Compared values: a value in a condition must be one that the field can have, or the condition never holds.

DynamoDB compares the type first: a number never equals a text, and `"yes"` never equals `true`. So values are checked
against the declared type of the field, in conditions, in filters and in `Sparse`. An enum is compared by its stored
value: its members and their values are accepted.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, TypeAdapter, ValidationError

from tablewright.design.fields.annotations import plain_type, without_none
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.design.value_problems import describe_problems, problems_of

Use: TypeAlias = Literal["equal", "order", "prefix", "element"]
"""How a value is used: `=` `<>` IN; `<` `<=` `>` `>=` BETWEEN; `begins_with`; `contains`."""

_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool,), "a boolean"),
    ((int, float, Decimal), "a number"),
    ((str, datetime, date, UUID), "text"),
    ((bytes, bytearray), "bytes"),
    ((set, frozenset), "a set"),
    ((list, tuple), "a list"),
    ((BaseModel, Mapping), "a map"),
)
_ORDERED = ("a number", "text", "bytes")


class ValueMismatch(ValueError):
    """A value that a field can never have; the message begins with a verb and ends with the fix."""


def stored_kind(annotation: Any) -> str | None:
    """What values of a type are stored as, in words; None if the type allows several kinds, or is not known.

    >>> stored_kind(int), stored_kind(datetime), stored_kind(list[str]), stored_kind(int | str)
    ('a number', 'text', 'a list', None)
    """
    try:
        return _stored_kind(annotation)
    except TypeError:  # metadata that cannot be hashed
        return _stored_kind.__wrapped__(annotation)


@lru_cache(maxsize=4096)
def _stored_kind(annotation: Any) -> str | None:
    plain, _ = plain_type(annotation)
    known = allowed(plain)
    if known is not None:
        kinds = {_kind_of(type(value)) for value in known}
        return kinds.pop() if len(kinds) == 1 else None
    origin = get_origin(plain) or plain
    return (_kind_of(origin) or _schema_kind(plain)) if isinstance(origin, type) else None


def allowed(annotation: Any) -> tuple[Any, ...] | None:
    """The values of an enum, as stored, or of a literal; None for other types."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _enum_values(annotation)
    return None


@lru_cache(maxsize=4096)
def _enum_values(kind: type[Enum]) -> tuple[Any, ...]:
    return tuple(member.value for member in kind)


def checked_value(annotation: Any, value: Any, use: Use = "equal") -> Any:
    """The value to compare with a field of that type; `ValueMismatch` if the comparison could never hold.

    >>> checked_value(Literal["open", "closed"], "open"), checked_value(date, "2025-08-08")
    ('open', datetime.date(2025, 8, 8))
    """
    plain, _ = plain_type(annotation)
    kind = stored_kind(plain)
    check_use(plain, use)
    if value is None:
        raise ValueMismatch("cannot be compared with None, which is not stored; use is_absent() or exists()")
    if kind is None:
        return value
    if use == "element" and kind in ("a list", "a set"):
        return checked_value(element_type(plain), value)
    if use in ("prefix", "element"):
        return _required(_plain(value), kind)
    return _whole_value(plain, kind, value)


def check_use(annotation: Any, use: Use) -> None:
    """Raise `ValueMismatch` if values of a type cannot be compared in that way."""
    kind = stored_kind(annotation)
    if kind is None:
        return
    if use == "order" and kind not in _ORDERED:
        raise ValueMismatch(f"is {kind}, which has no order; compare it with == or !=")
    if use == "prefix" and kind not in ("text", "bytes"):
        raise ValueMismatch(f"is {kind}, and begins_with needs text; compare it with ==")
    if use == "element" and kind not in ("text", "bytes", "a list", "a set"):
        raise ValueMismatch(f"is {kind}, and contains needs text, a list or a set; compare it with ==")


def check_size(annotation: Any) -> None:
    """Raise `ValueMismatch` if values of a type have no size."""
    kind = stored_kind(annotation)
    if kind in ("a number", "a boolean"):
        raise ValueMismatch(f"is {kind}, which has no size; compare its value")


def element_type(annotation: Any) -> Any:
    """The type of the elements of a list or a set; `Any` if it is not declared."""
    plain, _ = plain_type(annotation)
    arguments = [argument for argument in get_args(plain) if argument is not ...]
    return arguments[0] if len(arguments) == 1 else Any


def check_types(field: Any, other: Any, use: Use) -> None:
    """Raise `ValueMismatch` if a field can never match values of the other type: a parameter, or another field."""
    mine, theirs = plain_type(field)[0], plain_type(other)[0]
    check_use(mine, use)
    if use == "element" and stored_kind(mine) in ("a list", "a set"):
        mine, use = element_type(mine), "equal"
    own_kind, other_kind = stored_kind(mine), stored_kind(theirs)
    if own_kind is None or other_kind is None:
        return
    if own_kind != other_kind:
        raise ValueMismatch(f"is {own_kind} and never matches {other_kind}")
    if use not in ("equal", "order"):
        return
    if _is_a(mine, datetime) and _is_a(theirs, date) and not _is_a(theirs, datetime):
        raise ValueMismatch("is a time and never matches a date; use a Timestamp")
    if _is_a(theirs, datetime) and _is_a(mine, date) and not _is_a(mine, datetime):
        raise ValueMismatch("is a date and never matches a time; use a date")
    known, possible = allowed(mine), allowed(theirs)
    if use == "equal" and known and possible and not set(known) & set(possible):
        raise ValueMismatch(f"has the values {_listed(known)} and never matches {_listed(possible)}")


def _whole_value(plain: Any, kind: str, value: Any) -> Any:
    known = allowed(plain)
    if known is not None:
        return _one_of(known, _plain(value))
    if _is_a(plain, datetime):
        return _time(value)
    if _is_a(plain, date):
        return _date(value)
    if plain is UUID and isinstance(value, str):
        try:
            return UUID(value)
        except ValueError:
            raise ValueMismatch(f"must be compared with a UUID, got {value!r}") from None
    value = _required(_plain(value), kind)
    if kind in ("a list", "a set"):
        return type(value)(_member(element_type(plain), element) for element in value)
    return _map(plain, value) if kind == "a map" else value


def _member(annotation: Any, value: Any) -> Any:
    """A value inside of a list, a set or a map, where None is stored if the type has it."""
    return None if value is None and without_none(annotation)[1] else checked_value(annotation, value)


def _map(plain: Any, value: Any) -> Any:
    """A nested model, or a map with the declared type of values. A mapping is read as the model: that has defaults."""
    if not _is_a(plain, BaseModel):
        arguments = get_args(plain)
        if len(arguments) != 2 or not isinstance(value, Mapping):
            return value
        return {key: _member(arguments[1], content) for key, content in value.items()}
    if isinstance(value, plain):
        return value
    if isinstance(value, BaseModel):
        raise ValueMismatch(f"must be compared with a value of the class {plain.__name__}, got {value!r}")
    try:
        return plain.model_validate(dict(value), by_alias=True, by_name=True)
    except ValidationError as error:
        problems = describe_problems(problems_of(error), shows_values=False)
        raise ValueMismatch(
            f"must be compared with a value of the class {plain.__name__}: {problems}"
        ) from None


def _one_of(known: tuple[Any, ...], value: Any) -> Any:
    for member in known:
        if member == value and isinstance(member, bool) == isinstance(value, bool):
            return member
    from difflib import get_close_matches  # loaded for a mistake only

    close = get_close_matches(str(value), [str(member) for member in known], n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueMismatch(f"must be compared with one of {_listed(known)}, got {value!r}{hint}")


def _time(value: Any) -> datetime:
    try:
        time = parse_timestamp(value) if isinstance(value, str | datetime) else value
    except ValueError as error:
        raise ValueMismatch(
            f"must be compared with a datetime that has a time zone, got {value!r}: {error}"
        ) from None
    if not isinstance(time, datetime):
        raise ValueMismatch(f"must be compared with a datetime, got {value!r}; use datetime(..., tzinfo=UTC)")
    return time


def _date(value: Any) -> date:
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        day = None
    if not isinstance(day, date) or isinstance(day, datetime):
        raise ValueMismatch(f"must be compared with a date, got {value!r}")
    return day


def _required(value: Any, kind: str) -> Any:
    if _kind_of(type(value)) != kind:
        raise ValueMismatch(f"must be compared with {kind}, got {value!r}")
    return value


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _kind_of(kind: type) -> str | None:
    return next((words for types, words in _KINDS if issubclass(kind, types)), None)


@cache
def _schema_kind(annotation: Any) -> str | None:
    """The kind of a type of pydantic's, such as `EmailStr`, from its schema."""
    if not hasattr(annotation, "__get_pydantic_core_schema__"):
        return None
    schema: Any = TypeAdapter(annotation).core_schema
    while isinstance(schema, dict) and schema.get("type") != "str":
        schema = schema.get("schema")
    return "text" if schema else None


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(repr, values))


def _is_a(annotation: Any, kind: type) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kind)
