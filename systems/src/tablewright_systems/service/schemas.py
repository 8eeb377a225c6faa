"""Base models of requests and replies. In JSON all names are camelCase, as in the stores of the systems.

`from_json` validates what a client sends. It converts nothing: "50" is not a number, and "yes" is not true.

The texts of invalid fields are what clients of an API read instead of the messages of Pydantic, which calls a JSON
object a dictionary, characters of a string items, and each field an input.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from tablewright import fields
from tablewright_systems.service.errors import Invalid

T = TypeVar("T", bound=BaseModel)


class Body(BaseModel):
    """A request body, or a part of one; unknown fields are rejected.

    >>> class Rename(Body):
    ...     new_name: str
    ...     reason: str | None = None
    >>> Rename.model_validate({"newName": "Looms"}).sent()
    {'new_name': 'Looms'}
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)

    @classmethod
    def prepared(cls, sent: Any) -> Any:
        """Return the JSON that a client sent as it is to be validated; a subclass can clean it."""
        return sent

    def sent(self) -> dict[str, Any]:
        """Return the fields that the client sent, including those sent as null, as Python values."""
        return {
            name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set
        }


class View(BaseModel):
    """A reply body, or a part of one, built from the attributes of an object.

    >>> class Name(View):
    ...     full_name: str
    >>> Name(full_name="Ada").model_dump(by_alias=True)
    {'fullName': 'Ada'}
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, from_attributes=True, frozen=True
    )


def from_json(kind: TypeAdapter[Any], sent: Any) -> Any:
    """Return JSON that a client sent as a value of a type; ValidationError if it is of another type.

    Times, days and enumerations are strings in JSON. Names are those of the JSON, never those of Python.

    >>> from_json(TypeAdapter(dict[str, Decimal]), {"price": 1.5})
    {'price': Decimal('1.5')}
    """
    return kind.validate_json(json.dumps(sent), strict=True, by_alias=True, by_name=False)


def settings_from_json(kind: type[T], sent: Any, place: str) -> T:
    """Return settings inside of a body whose type depends on other fields; `Invalid` names their place in the body."""
    try:
        settings: T = from_json(TypeAdapter(kind), sent)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join([place, *map(str, first["loc"])])
        raise Invalid(f"{path}: {problem_text(first)}", path) from None
    return settings


class _JsonNumber:
    """Makes the JSON of a decimal a number; Pydantic would accept text too. Stored values are not concerned."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        return next(
            option for option in described.get("anyOf", [described]) if option.get("type") == "number"
        )


def _decimal(value: Any, info: ValidationInfo) -> Any:
    if info.mode == "python":
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    return Decimal(str(value))


def _time(value: Any, info: ValidationInfo) -> Any:
    if info.mode == "json" and not isinstance(value, str):
        raise ValueError(TIME)
    return value


JSON_NUMBER = (BeforeValidator(_decimal), _JsonNumber())
"""Last annotations of a decimal in a body: `Annotated[Decimal, Field(ge=0), *JSON_NUMBER]`."""

Time = Annotated[fields.Timestamp, BeforeValidator(_time)]
"""A timestamp in a body: text, never a number of seconds."""


def omittable() -> Any:
    """Return the default of a body's field that can be omitted, but not be null; see `Body.sent`."""
    return Field(default_factory=lambda: None)


def epoch_text(seconds: float) -> str:
    """Return seconds since 1970 as replies show times.

    >>> epoch_text(1_700_000_000)
    '2023-11-14T22:13:20.000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


EPOCH_AS_TIME = (
    PlainSerializer(epoch_text, return_type=str, when_used="json-unless-none"),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}, mode="serialization"
    ),
)
"""Annotations of a stored number of seconds, such as a TTL, that replies show as a time."""


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
