"""What endpoints take from their requests."""

from collections.abc import Iterator

import pytest
from fastapi.dependencies.utils import get_dependant
from fastapi.testclient import TestClient
from starlette.requests import Request
from tablewright_systems.boards import api
from tablewright_systems.boards.design import design
from tablewright_systems.web import Actor, CurrentCaller, LocalIssuer, OptionalCaller
from tablewright_systems.web.requests import client_network, requires_caller

from tablewright import Clock, connect


@pytest.mark.parametrize(
    ("client", "network"),
    [
        (("192.0.2.7", 5000), "192.0.2.7"),
        (("2001:db8:1:2:3:4:5:6", 5000), "2001:db8:1:2::/64"),
        (("::ffff:192.0.2.7", 5000), "192.0.2.7"),
        (("testclient", 5000), "testclient"),
        (None, "unknown"),
    ],
)
def test_network_of_a_client(client: tuple[str, int] | None, network: str) -> None:
    assert client_network(Request({"type": "http", "client": client, "headers": []})) == network


def test_endpoints_that_require_a_token() -> None:
    def own(caller: CurrentCaller) -> None: ...
    def audited(actor: Actor) -> None: ...
    def optional(caller: OptionalCaller) -> None: ...
    def open_to_all() -> None: ...

    listed = [
        requires_caller(get_dependant(path="/", call=item)) for item in (own, audited, optional, open_to_all)
    ]
    assert listed == [True, True, False, False]


ISSUER = LocalIssuer()
PATH = "/user-names/availability?userName=Ada"


@pytest.fixture
def clock() -> Clock:
    return Clock(start=1_700_000_000)


@pytest.fixture
def client(clock: Clock) -> Iterator[TestClient]:
    with connect(design, clock=clock) as db:
        yield TestClient(api.build(db, ISSUER))


def statuses(client: TestClient, who: str, count: int) -> list[int]:
    headers = {"Authorization": f"Bearer {ISSUER.issue(who)}"}
    return [client.get(PATH, headers=headers).status_code for _ in range(count)]


def test_requests_of_a_caller_are_limited_in_each_minute(client: TestClient, clock: Clock) -> None:
    assert statuses(client, "ada", 32) == [200] * 30 + [429] * 2
    assert statuses(client, "bob", 1) == [200]
    clock.advance(60)
    assert statuses(client, "ada", 1) == [200]


def test_reply_says_when_to_try_again(client: TestClient) -> None:
    statuses(client, "ada", 30)
    reply = client.get(PATH, headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"})
    assert 0 < int(reply.headers["retry-after"]) <= 60


def test_limit_is_documented(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/user-names/availability"]["get"]
    assert "429" in operation["responses"]
