"""Texts of invalid fields have no words of Python or Pydantic."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from tablewright_systems.service.text import Line
from tablewright_systems.web.error_replies import add_error_replies

from tablewright import fields


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
