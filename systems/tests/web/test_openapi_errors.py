"""Errors in the OpenAPI document."""

from typing import Any

import pytest
from tablewright_systems.web.openapi import add_error_components, add_errors, problems, usual_problems


def statuses(operation: dict[str, Any], *declared: int, is_post: bool = False) -> list[str]:
    responses = {str(status): reply for status, reply in problems(*declared).items()}
    operation = {"responses": {"200": {}, "422": {"description": "FastAPI's own"}} | responses} | operation
    add_errors(operation, is_post)
    return list(operation["responses"])


def test_every_operation_has_the_errors_of_every_request() -> None:
    assert statuses({}) == ["200", "400", "422", "500", "503"]
    assert statuses({"security": []}, 404) == ["200", "400", "401", "404", "422", "500", "503"]
    assert statuses({"requestBody": {}}) == ["200", "400", "413", "415", "422", "500", "503"]


def test_errors_follow_from_the_form_of_an_operation() -> None:
    assert "409" in statuses({}, is_post=True)
    assert "412" in statuses({"parameters": [{"name": "if-match"}]})
    assert {"409", "412"}.isdisjoint(statuses({"parameters": [{"name": "limit"}]}))


@pytest.mark.parametrize(
    ("method", "path", "usual"),
    [
        ("GET", "/boards", []),
        ("GET", "/boards/{board_id}", [404]),
        ("POST", "/boards", [403, 404, 409]),
        ("DELETE", "/boards/{board_id}", [403, 404, 409]),
    ],
)
def test_usual_errors(method: str, path: str, usual: list[int]) -> None:
    assert list(usual_problems(path, [method])) == usual


def test_replies_to_retry_later_have_a_header() -> None:
    document: dict[str, Any] = {}
    add_error_components(document)
    replies = document["components"]["responses"]
    assert [name for name, reply in replies.items() if "headers" in reply] == [
        "TooManyRequests",
        "ServiceUnavailable",
    ]
    assert {"Problem", "FieldProblem"} <= set(document["components"]["schemas"])
