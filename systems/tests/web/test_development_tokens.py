"""Tokens for sample people, minted by the documentation page."""

import httpx
import pytest
from fastapi.testclient import TestClient
from tablewright_systems.registry import SYSTEMS, System, find
from tablewright_systems.web import IdentityProvider, LocalIssuer
from tablewright_systems.web.development_tokens import offer_tokens

from tablewright import connect, keyrings

ISSUER = LocalIssuer(audience="boards")
PAGE = {"Origin": "http://testserver"}


@pytest.fixture
def system() -> System:
    result = find("boards")
    assert result is not None
    return result


def mint(system: System, address: str = "127.0.0.1", person: str = "", **headers: str) -> httpx.Response:
    with connect(system.design) as db:
        app = system.build(db, ISSUER)
        offer_tokens(app, ISSUER, system.people)
        client = TestClient(app, client=(address, 50_000))
        body = {"person": person or next(iter(system.people))}
        reply: httpx.Response = client.post("/docs/tokens", json=body, headers=headers)
        return reply


def test_page_gets_a_token_for_a_person(system: System) -> None:
    for person, caller in system.people.items():
        token = mint(system, person=person, **PAGE).json()["token"]
        minted = ISSUER.authenticate(token)
        assert (minted.user_id, minted.roles) == (caller.user_id, caller.roles)


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://evil.example"}, {"Origin": "null"}])
def test_pages_of_other_origins_get_no_token(system: System, origin: dict[str, str]) -> None:
    assert mint(system, **origin).status_code == 403


@pytest.mark.parametrize("address", ["192.0.2.1", "testclient", "::ffff:192.0.2.1"])
def test_clients_on_other_machines_get_no_token(system: System, address: str) -> None:
    assert mint(system, address, **PAGE).status_code == 403
    assert mint(system, "::1", **PAGE).status_code == 200


def test_unknown_person_is_not_found(system: System) -> None:
    assert mint(system, person="Unknown", **PAGE).status_code == 404


def test_form_requests_of_other_pages_are_unsupported(system: System) -> None:
    with connect(system.design) as db:
        app = system.build(db, ISSUER)
        offer_tokens(app, ISSUER, system.people)
        reply = TestClient(app).post("/docs/tokens", data={"person": "Administrator"}, headers=PAGE)
    assert reply.status_code == 415


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_endpoint_and_form_exist_only_where_they_are_added(system: System) -> None:
    provider = IdentityProvider("https://id.example.org", system.name, "https://id.example.org/jwks")
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as db:
        client = TestClient(system.build(db, provider), client=("127.0.0.1", 50_000))
        assert client.post("/docs/tokens", json={"person": "x"}, headers=PAGE).status_code == 404
        assert 'id="people"' not in client.get("/docs").text
        app = system.build(db, ISSUER)
        offer_tokens(app, ISSUER, system.people)
        page = TestClient(app).get("/docs").text
        assert [f"<option>{person}</option>" in page for person in system.people] == [True] * len(
            system.people
        )
        assert "/docs/tokens" not in app.openapi()["paths"]
