"""Base models of requests and replies. In JSON all names are camelCase, as in the stores of the systems.

`from_json` validates what a client sends. It converts nothing: "50" is not a number, and "yes" is not true.
"""

import json
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
from tablewright_systems.service.field_problems import TIME, problem_text

T = TypeVar("T", bound=BaseModel)


class Body(BaseModel):
    """A request body, or a part of one; unknown fields are rejected.

    >>> class Rename(Body):
    ...     new_name: str
    ...     reason: str | None = None
    >>> Rename.model_validate({"newName": "Looms"}).given()
    {'new_name': 'Looms'}
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)

    @classmethod
    def prepared(cls, sent: Any) -> Any:
        """Return the JSON that a client sent as it is to be validated; a subclass can clean it."""
        return sent

    def given(self) -> dict[str, Any]:
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
        found: T = from_json(TypeAdapter(kind), sent)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join([place, *map(str, first["loc"])])
        raise Invalid(f"{path}: {problem_text(first)}", path) from None
    return found


class _JsonNumber:
    """Makes the JSON of a decimal a number; Pydantic would accept text too. Stored values are not concerned."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        found = handler(schema)
        return next(each for each in found.get("anyOf", [found]) if each.get("type") == "number")


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
    """Return the default of a body's field that can be omitted, but not be null; see `Body.given`."""
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
