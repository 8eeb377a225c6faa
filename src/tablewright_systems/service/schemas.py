"""Base models of requests and replies. In JSON all names are camelCase, as in the stores of the systems."""

from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel


class Body(BaseModel):
    """A request body, or a part of one; unknown fields are rejected.

    >>> class Rename(Body):
    ...     new_name: str
    ...     reason: str | None = None
    >>> Rename.model_validate({"newName": "Looms"}).given()
    {'new_name': 'Looms'}
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)

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
