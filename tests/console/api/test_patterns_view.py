"""The view patterns: forms, examples, runs and messages by field."""

from collections.abc import Iterator
from typing import Any

import pytest
from tablewright_systems.registry import SYSTEMS

from tests.console.sample_console import ConsoleClient, console_client


@pytest.fixture(scope="module")
def boards() -> Iterator[ConsoleClient]:
    with console_client("boards", samples=2, writable=False) as console:
        yield console


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_every_pattern_has_a_form_a_cost_and_a_policy(name: str) -> None:
    with console_client(name, samples=0) as console:
        for pattern in console.opened.design.patterns:
            found = console.get(f"/patterns/{pattern.__name__}")
            assert list(found["schema"]["properties"]) == list(pattern.model_fields)
            assert "$ref" not in str(found["schema"])
            assert found["cost"]["million"] > 0
            assert found["policy"]["documents"][0]["Statement"]


def _pattern(console: ConsoleClient, kind: str, parameters: int = 1) -> str:
    return next(
        pattern.__name__
        for pattern in console.opened.design.patterns
        if pattern.__plan__.kind == kind and len(pattern.model_fields) >= parameters
        if console.get(f"/patterns/{pattern.__name__}/example")["parameters"]
    )


def test_an_example_runs_and_its_items_are_entities(boards: ConsoleClient) -> None:
    name = _pattern(boards, "query")
    example = boards.get(f"/patterns/{name}/example")["parameters"]
    reply = boards.post(f"/patterns/{name}/run", {"parameters": example, "limit": 1})
    assert reply["rows"][0]["entity"]
    assert reply["rows"][0]["expected"]
    assert reply["units"] > 0
    assert reply["examined"] >= reply["returned"] == 1


def test_the_explanation_has_the_request_and_its_estimate(boards: ConsoleClient) -> None:
    name = _pattern(boards, "query")
    example = boards.get(f"/patterns/{name}/example")["parameters"]
    reply = boards.post(f"/patterns/{name}/explain", {"parameters": example, "limit": 7})
    assert reply["operation"] == "Query"
    assert reply["request"]["Limit"] == 7
    assert reply["units"] > 0
    assert set(reply["code"]) == {"tablewright", "boto3", "cli"}


def _fields(console: ConsoleClient, path: str, body: Any) -> dict[str, str]:
    reply = console.http.post(console.prefix + path, json=body)
    assert reply.status_code == 422, reply.text
    fields: dict[str, str] = reply.json()["error"]["fields"]
    return fields


def test_each_invalid_parameter_has_its_message(boards: ConsoleClient) -> None:
    fields = _fields(
        boards, "/patterns/ProfilesByUserName/run", {"parameters": {"user_name": "x", "absent": 1}}
    )
    assert "at least 3" in fields["user_name"]
    assert "has no parameter absent" in fields["absent"]
    assert _fields(boards, "/patterns/ProfilesByUserName/explain", {"parameters": {}}) == {
        "user_name": "is required"
    }


def test_a_wrong_limit_and_an_unknown_member_are_errors(boards: ConsoleClient) -> None:
    path = "/patterns/ProfileById/run"
    assert "limit" in _fields(boards, path, {"parameters": {"user_id": "x"}, "limit": 0})
    assert "limit" in _fields(boards, path, {"parameters": {"user_id": "x"}, "limit": 1001})
    assert "other" in _fields(boards, path, {"other": 1})


def test_an_unknown_pattern_is_an_error(boards: ConsoleClient) -> None:
    assert boards.error("GET", "/patterns/ProfileByIdd") == (
        400,
        "boards has no pattern ProfileByIdd; did you mean ProfileById?",
    )


def test_a_damaged_cursor_is_an_error(boards: ConsoleClient) -> None:
    name = _pattern(boards, "query")
    example = boards.get(f"/patterns/{name}/example")["parameters"]
    status, message = boards.error(
        "POST", f"/patterns/{name}/run", {"parameters": example, "cursor": "2damaged"}
    )
    assert (status, "start again" in message) == (400, True)


def test_the_secret_of_a_lookup_is_not_in_the_reply() -> None:
    with console_client("listbackup", samples=0) as console:
        body = {"parameters": {"refresh_token": "the-secret-value"}}
        explained = console.post("/patterns/RefreshTokenOf/explain", body)
        assert "the-secret-value" not in str(explained)
        before = console.opened.db.connection.call("ListTables", {})["TableNames"]
        status, message = console.error("POST", "/patterns/RefreshTokenOf/run", body)
        items = [
            console.opened.db.connection.call("Scan", {"TableName": name, "Limit": 1})["Count"]
            for name in before
        ]
    assert (status, message) == (400, "no secret value is stored yet, so this finds nothing")
    assert not any(items)  # the lookup did not create an encryption key
