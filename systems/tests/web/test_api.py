"""The part of the APIs that all five share: error replies of one form, never a 500, and pages that work offline."""

import base64
import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field
from starlette.applications import Starlette
from starlette.routing import Mount
from tablewright_systems.registry import find
from tablewright_systems.web import CurrentCaller, Router, application
from tablewright_systems.web.authentication import LocalIssuer

from tablewright import connect, fields

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "http.md"

router = Router()
ISSUER = LocalIssuer()


class Person(BaseModel):
    """A person with a short name."""

    name: Annotated[str, Field(max_length=3)]


@router.get("/people/{name}")
def person(name: str) -> Person:
    return Person(name=name)


@router.get("/times")
def time(at: fields.Timestamp) -> str:
    return at.isoformat()


@router.get("/tomorrow")
def tomorrow(day: date) -> date:
    return day + timedelta(days=1)


@router.post("/people")
def create(caller: CurrentCaller, body: Person) -> Person:
    return body


@pytest.fixture
def client() -> Any:
    system = find("boards")
    assert system is not None
    with connect(system.design) as db:
        app = application("Test", router, db, ISSUER)
        yield TestClient(app, headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"})


def error_of(client: TestClient, method: str, path: str, **more: Any) -> tuple[int, str, str | None]:
    reply = client.request(method, path, **more)
    error = reply.json()
    return reply.status_code, error["code"], error.get("field")


def test_unknown_path_is_not_found(client: TestClient) -> None:
    assert error_of(client, "GET", "/nowhere") == (404, "not_found", None)


def test_unsupported_method_names_the_supported_ones(client: TestClient) -> None:
    assert error_of(client, "DELETE", "/times") == (405, "method_not_allowed", None)
    assert client.delete("/times").headers["allow"] == "GET, HEAD"
    assert client.get("/people").headers["allow"] == "POST"


def test_documented_error_is_what_the_api_sends() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", REFERENCE.read_text(), re.DOTALL)
    system = find("boards")
    assert system is not None
    with connect(system.design) as db:
        client = TestClient(
            system.build(db, ISSUER), headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"}
        )
        assert client.post("/boards", json={"boardName": ""}).json() == json.loads(example)


def test_unsupported_method_names_the_methods_of_all_routes_of_the_path() -> None:
    system = find("boards")
    assert system is not None
    with connect(system.design) as db:
        host = Starlette(routes=[Mount("/boards", system.build(db, ISSUER))])
        client = TestClient(host)
        assert client.put("/boards/boards/me").headers["allow"] == "DELETE, GET, HEAD, PATCH"
        assert client.post("/boards/docs").headers["allow"] == "GET, HEAD"
        assert client.delete("/boards/openapi.json").headers["allow"] == "GET, HEAD"
        assert client.post("/boards/assets/start.css").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "content",
    [b"{", b"[" * 5_000, b"[" * 101 + b"]" * 101, b"9" * 5_000, b'{"name": "\xff"}'],
    ids=["malformed", "unclosed", "nested too deeply", "number too long", "not UTF-8"],
)
def test_unreadable_body_is_a_bad_request(client: TestClient, content: bytes) -> None:
    headers = {"content-type": "application/json"}
    assert error_of(client, "POST", "/people", content=content, headers=headers)[:2] == (400, "bad_request")


def test_nested_body_within_the_limit_is_read(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    content = b"[" * 100 + b"]" * 100
    assert error_of(client, "POST", "/people", content=content, headers=headers)[:2] == (422, "invalid")


@pytest.mark.parametrize("body", [[], "x", None])
def test_body_of_the_wrong_type_is_invalid(client: TestClient, body: Any) -> None:
    assert error_of(client, "POST", "/people", json=body) == (422, "invalid", "body")


def test_invalid_response_model_names_its_field(client: TestClient) -> None:
    assert error_of(client, "GET", "/people/napoleon") == (422, "invalid", "name")


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-01-01T00:00:00", "soon"]
)
def test_timestamp_outside_of_utc_range_names_its_field(client: TestClient, at: str) -> None:
    assert error_of(client, "GET", "/times", params={"at": at}) == (422, "invalid", "at")


def test_day_after_the_last_one_is_invalid(client: TestClient) -> None:
    assert error_of(client, "GET", "/tomorrow", params={"day": "9999-12-31"})[:2] == (422, "invalid")


@pytest.mark.parametrize("cursor", ["x", "", "é", base64.urlsafe_b64encode(b"[[1],null]").decode()])
def test_bad_cursor_is_invalid(cursor: str) -> None:
    system = find("boards")
    assert system is not None
    with connect(system.design) as db:
        boards = TestClient(
            system.build(db, ISSUER), headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"}
        )
        error = error_of(boards, "GET", "/me/boards", params={"cursor": cursor})
    assert error == (422, "bad_cursor", "cursor")


def test_missing_token_is_unauthenticated(client: TestClient) -> None:
    reply = client.post("/people", json={"name": "ada"}, headers={"Authorization": ""})
    assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")


def test_documentation_works_without_the_host(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    for file in re.findall(r'(?:src|href|data-openapi)="(/[^"]+)"', page.text):
        assert client.get(file).status_code == 200
