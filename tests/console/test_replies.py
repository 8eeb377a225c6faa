"""Replies: errors become messages with a status, and no traceback."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from tablewright.console.endpoints import Conflict, Forbidden
from tablewright.console.replies import json_bytes, problem_of
from tablewright.errors import ResourceNotFound, UsageError
from tablewright.errors import ValidationError as InvalidRequest


def content(error: Exception) -> tuple[int, dict[str, Any]]:
    reply = problem_of(error)
    return reply.status_code, json.loads(bytes(reply.body))["error"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Forbidden("no"), 403, "Forbidden"),
        (Conflict("changed"), 409, "Conflict"),
        (ResourceNotFound("absent"), 404, "ResourceNotFoundException"),
        (InvalidRequest("wrong"), 400, "ValidationException"),
        (UsageError("so not"), 400, "UsageError"),
    ],
)
def test_each_error_has_a_status(error: Exception, status: int, code: str) -> None:
    assert content(error)[0] == status
    assert content(error)[1]["code"] == code


def test_an_invalid_body_names_the_members() -> None:
    class Given(BaseModel):
        limit: int

    with pytest.raises(ValidationError) as caught:
        Given.model_validate({"limit": "x"})
    status, error = content(caught.value)
    assert status == 422
    assert list(error["fields"]) == ["limit"]
    assert error["message"] == "limit must be a valid integer, got text"


def test_an_unexpected_error_shows_no_details(caplog: pytest.LogCaptureFixture) -> None:
    status, error = content(RuntimeError("password 123"))
    assert status == 500
    assert "password" not in error["message"]
    assert "password 123" in caplog.text


def test_bytes_and_sets_become_json() -> None:
    assert json_bytes({"a": b"\x00", "b": {"y", "x"}}) == b'{"a":"AA==","b":["x","y"]}'


def test_large_integers_and_broken_text_are_sent_as_text() -> None:
    found = json_bytes({"n": 10**125, "few": [2**64 - 1, -(2**63)], "t": ("a\ud800",), "set": {2**70}})
    assert json.loads(found) == {
        "n": f"1{'0' * 125}",
        "few": [2**64 - 1, -(2**63)],
        "t": ["a?"],
        "set": [str(2**70)],
    }
