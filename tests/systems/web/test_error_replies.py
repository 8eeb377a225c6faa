"""Every error becomes a reply of one form, with a stable code."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tablewright import errors
from tablewright_systems.service.errors import (
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from tablewright_systems.web.error_replies import add_error_replies

raised: list[Exception] = []


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = FastAPI()
    add_error_replies(app)

    @app.get("/")
    def fail() -> None:
        raise raised.pop()

    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ApiError("x"), 400, "bad_request"),
        (Unauthenticated("x"), 401, "unauthenticated"),
        (Forbidden("x"), 403, "forbidden"),
        (NotFound("board b1"), 404, "not_found"),
        (Conflict("x"), 409, "conflict"),
        (Gone("x"), 410, "gone"),
        (Invalid("x"), 422, "invalid"),
        (TooManyRequests("x", 30), 429, "too_many"),
        (Unavailable("x"), 503, "unavailable"),
        (errors.BadCursor("x"), 422, "bad_cursor"),
        (errors.Throttling("x"), 503, "busy"),
        (OverflowError("x"), 422, "invalid"),
    ],
)
def test_error_has_a_status_and_a_code(client: TestClient, error: Exception, status: int, code: str) -> None:
    raised.append(error)
    reply = client.get("/")
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert set(reply.json()["error"]) == {"code", "message", "field"}


def test_error_names_its_field(client: TestClient) -> None:
    raised.append(Conflict("this name is already taken", field="userName"))
    body = client.get("/").json()
    assert body == {
        "error": {"code": "conflict", "message": "this name is already taken", "field": "userName"}
    }


@pytest.mark.parametrize(
    ("error", "seconds"), [(TooManyRequests("x", 30), "30"), (errors.Throttling("x"), "1")]
)
def test_temporary_errors_say_when_to_retry(client: TestClient, error: Exception, seconds: str) -> None:
    raised.append(error)
    assert client.get("/").headers["retry-after"] == seconds
