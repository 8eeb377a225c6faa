"""Errors in the OpenAPI document."""

from typing import Any

from tablewright_systems.web.openapi_errors import add_error_components, add_errors


def statuses(operation: dict[str, Any], *raised: int) -> list[str]:
    operation = {"responses": {"200": {}, "422": {"description": "FastAPI's own"}}} | operation
    add_errors(operation, frozenset(raised))
    return list(operation["responses"])


def test_every_operation_has_the_errors_of_every_request() -> None:
    assert statuses({}) == ["200", "422", "500", "503"]
    assert statuses({"security": []}, 404) == ["200", "401", "404", "422", "500", "503"]
    assert statuses({"requestBody": {}}) == ["200", "400", "413", "415", "422", "500", "503"]


def test_replies_to_retry_later_have_a_header() -> None:
    document: dict[str, Any] = {}
    add_error_components(document)
    replies = document["components"]["responses"]
    assert [name for name, reply in replies.items() if "headers" in reply] == [
        "TooManyRequests",
        "ServiceUnavailable",
    ]
    assert {"Problem", "FieldProblem"} <= set(document["components"]["schemas"])
