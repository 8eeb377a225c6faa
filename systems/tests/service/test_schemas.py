"""Base models of requests and replies."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
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
from tablewright_systems.service.text import Line
from tablewright_systems.web.error_replies import add_error_replies

from tablewright import fields


class Rename(Body):
    """A new name, with an optional reason."""

    new_name: str = omittable()
    reason: str | None = None


def test_given_has_only_the_fields_that_were_sent() -> None:
    assert Rename.model_validate({"reason": None}).sent() == {"reason": None}
    assert Rename.model_validate({}).sent() == {}


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


def reject(value: str) -> str:
    raise ValueError("must be a name that exists")


class Inner(BaseModel):
    size: int = 0


class Request(BaseModel):
    """A request with one field for each kind of problem."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[Line, Field(min_length=3, max_length=5)] = "Ada"
    letter: Annotated[str, Field(min_length=1)] = "a"
    tags: Annotated[list[str], Field(max_length=1)] = []
    at: fields.Timestamp | None = None
    day: date | None = None
    known: Annotated[str, AfterValidator(reject)] | None = None
    inner: Inner = Inner()
    count: Annotated[int, Field(ge=1)] = 1


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = FastAPI()
    add_error_replies(app)

    @app.post("/")
    def post(body: Request) -> None: ...

    @app.get("/")
    def get(start: fields.Timestamp, limit: int = 1) -> None: ...

    with TestClient(app) as opened:
        yield opened


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"name": "x"}, "name: must have at least 3 characters"),
        ({"name": "x" * 6}, "name: must have at most 5 characters"),
        ({"letter": ""}, "letter: must have at least 1 character"),
        ({"tags": ["a", "b"]}, "tags: must have at most 1 item"),
        ({"at": "2026-01-31T12:00:00"}, "at: must have a time zone, such as 2026-01-31T12:00:00Z"),
        ({"at": "banana"}, "at: must be a time, such as 2026-01-31T12:00:00Z"),
        ({"at": []}, "at: must be a time, such as 2026-01-31T12:00:00Z"),
        ({"day": "banana"}, "day: must be a day, such as 2026-01-31"),
        ({"known": "x"}, "known: must be a name that exists"),
        ({"inner": 1}, "inner: must be an object"),
        ({"count": 0}, "count: must be greater than or equal to 1"),
        ({"nmae": "x"}, "nmae: is not a field of this request"),
        ([], "the body must be a JSON object"),
        ("x", "the body must be a JSON object"),
        (None, "the body is missing; send a JSON object"),
    ],
)
def test_text_of_an_invalid_body(client: TestClient, body: Any, detail: str) -> None:
    reply = client.post("/", json=body)
    assert (reply.status_code, reply.json()["detail"]) == (422, detail)


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("start=banana", "start: must be a time, such as 2026-01-31T12:00:00Z"),
        ("start=2026-01-31", "start: must have a time zone, such as 2026-01-31T12:00:00Z"),
        ("", "start: is required"),
        ("start=2026-01-31T12:00:00Z&limit=x", "limit: must be an integer"),
    ],
)
def test_text_of_an_invalid_parameter(client: TestClient, query: str, detail: str) -> None:
    assert client.get(f"/?{query}").json()["detail"] == detail


def test_valid_request_is_accepted(client: TestClient) -> None:
    body = {"name": "Ada", "at": "2026-01-31T12:00:00Z", "day": "2026-01-31", "inner": {"size": 1}}
    assert client.post("/", json=body).status_code == 200
