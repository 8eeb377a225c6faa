"""Base models of requests and replies."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError
from tablewright_systems.service.errors import Invalid
from tablewright_systems.service.schemas import (
    JSON_NUMBER,
    Body,
    Time,
    View,
    from_json,
    omittable,
    settings_from_json,
)


class Rename(Body):
    """A new name, with an optional reason."""

    new_name: str = omittable()
    reason: str | None = None


def test_given_has_only_the_fields_that_were_sent() -> None:
    assert Rename.model_validate({"reason": None}).given() == {"reason": None}
    assert Rename.model_validate({}).given() == {}


@pytest.mark.parametrize("sent", [{"newNam": "x"}, {"newName": None}, {"newName": 5}])
def test_unknown_null_and_mistyped_fields_are_rejected(sent: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Rename.model_validate(sent)


def test_omittable_fields_are_neither_required_nor_nullable() -> None:
    schema = Rename.model_json_schema()
    assert "required" not in schema
    assert schema["properties"]["newName"] == {"title": "Newname", "type": "string"}
    assert schema["additionalProperties"] is False


def test_views_are_built_from_attributes_and_written_in_camel_case() -> None:
    class Name(View):
        new_name: str

    assert Name.model_validate(Rename(new_name="Ada")).model_dump(by_alias=True) == {"newName": "Ada"}


class Settings(Body):
    """Settings inside of a body."""

    max_size: int


def test_settings_inside_of_a_body_are_strict_and_their_place_is_named() -> None:
    assert settings_from_json(Settings, {"maxSize": 3}, "config").max_size == 3
    for sent, text in (
        ({"maxSize": "3"}, "config.maxSize: must be an integer"),
        (
            {"max_size": 3, "maxSize": 3},
            "config.max_size: is not a field of this request; names are camelCase, such as maxSize",
        ),
    ):
        with pytest.raises(Invalid) as error:
            settings_from_json(Settings, sent, "config")
        assert (error.value.message, error.value.field) == (text, text.partition(":")[0])


def test_stored_values_are_converted() -> None:
    """Strictness concerns what clients send: a number that another program stored as text is readable."""
    price = TypeAdapter(Annotated[Decimal, *JSON_NUMBER])
    assert price.validate_python("1200") == Decimal(1200)
    with pytest.raises(ValidationError):
        from_json(price, "1200")
    assert from_json(price, 1200) == Decimal(1200)
    time: TypeAdapter[datetime] = TypeAdapter(Time)
    assert time.validate_python(0) == datetime(1970, 1, 1, tzinfo=UTC)
    with pytest.raises(ValidationError):
        from_json(time, 0)
