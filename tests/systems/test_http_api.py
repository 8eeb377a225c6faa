"""What the APIs say to requests that no endpoint was made for: always the same kind of body, and never a 500."""

import base64
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field

from tablewright import connect, fields
from tablewright.connections import Embedded
from tablewright.engine.database import Database
from tablewright.storage import open_store
from tablewright_systems.authentication import LocalIssuer
from tablewright_systems.hosting import HostedSystems, keys_for
from tablewright_systems.http_api import CurrentCaller, application
from tablewright_systems.registry import find

router = APIRouter()
ISSUER = LocalIssuer()


class Named(BaseModel):
    """Somebody whose name is short."""

    name: Annotated[str, Field(max_length=3)]


@router.get("/people/{name}")
def person(name: str) -> Named:
    return Named(name=name)


@router.get("/moments")
def moment(at: fields.Timestamp) -> str:
    return at.isoformat()


@router.get("/tomorrow")
def tomorrow(day: date) -> date:
    return day + timedelta(days=1)


@router.post("/people")
def meet(who: CurrentCaller, body: Named) -> Named:
    return body


@pytest.fixture
def client() -> Any:
    system = find("boards")
    assert system is not None
    with connect(system.design) as db:
        app = application("Test", router, db, ISSUER)
        yield TestClient(app, headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"})


def refusal(client: TestClient, method: str, path: str, **more: Any) -> tuple[int, str, str | None]:
    reply = client.request(method, path, **more)
    error = reply.json()["error"]
    return reply.status_code, error["code"], error["field"]


def test_an_unknown_path_is_refused_in_the_same_words_as_everything_else(client: TestClient) -> None:
    assert refusal(client, "GET", "/nowhere") == (404, "not_found", None)


def test_a_method_that_a_path_does_not_have_tells_which_it_has(client: TestClient) -> None:
    assert refusal(client, "DELETE", "/moments") == (405, "method_not_allowed", None)
    assert client.delete("/moments").headers["allow"] == "GET"


@pytest.mark.parametrize("content", [b"[" * 5_000, b"9" * 5_000])
def test_a_body_that_cannot_be_read_is_a_bad_request(client: TestClient, content: bytes) -> None:
    headers = {"content-type": "application/json"}
    assert refusal(client, "POST", "/people", content=content, headers=headers)[:2] == (400, "bad_request")


@pytest.mark.parametrize("body", [[], "x", None])
def test_a_body_of_another_kind_is_told_to_be_at_fault(client: TestClient, body: Any) -> None:
    assert refusal(client, "POST", "/people", json=body) == (422, "invalid", "body")


def test_a_value_that_fits_no_entity_names_its_field(client: TestClient) -> None:
    assert refusal(client, "GET", "/people/napoleon") == (422, "invalid", "name")


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-01-01T00:00:00", "soon"]
)
def test_a_moment_that_utc_does_not_have_names_its_field(client: TestClient, at: str) -> None:
    assert refusal(client, "GET", "/moments", params={"at": at}) == (422, "invalid", "at")


def test_a_day_after_the_last_one_is_refused(client: TestClient) -> None:
    assert refusal(client, "GET", "/tomorrow", params={"day": "9999-12-31"})[:2] == (422, "invalid")


@pytest.mark.parametrize("cursor", ["x", "", "é", base64.urlsafe_b64encode(b"[[1],null]").decode()])
def test_a_bad_cursor_names_itself(cursor: str) -> None:
    system = find("boards")
    assert system is not None
    with connect(system.design) as db:
        boards = TestClient(
            system.build(db, ISSUER), headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"}
        )
        told = refusal(boards, "GET", "/me/boards", params={"cursor": cursor})
    assert told == (422, "bad_cursor", "cursor")


def test_pages_load_nothing_from_elsewhere(client: TestClient, tmp_path: Path) -> None:
    database = Database(open_store())
    try:
        household = HostedSystems(Embedded(database), keys_for(tmp_path / "data"))
        pages = TestClient(household.application(ISSUER, "http://127.0.0.1:8000"))
        replies = [pages.get("/"), pages.get("/boards/docs"), client.get("/docs")]
    finally:
        database.close()
    for reply in replies:
        assert reply.status_code == 200
        assert reply.headers["content-security-policy"].startswith("default-src 'none'; ")
