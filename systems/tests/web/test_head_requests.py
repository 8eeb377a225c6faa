"""HEAD requests have the reply of GET requests, without the body."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web import LocalIssuer, Router, application

from tablewright import connect, keyrings

ISSUER = LocalIssuer()


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    router = Router("Names", "Names.")
    router.add_api_route("/name", lambda: {"name": "Ada"})
    router.add_api_route("/file", lambda: StreamingResponse(iter([b"one", b"two"])), response_model=None)
    router.add_api_route("/names", lambda: {"name": "Ada"}, methods=["POST"])
    with TestClient(application("Names", router, cast(Any, None), ISSUER)) as opened:
        yield opened


@pytest.mark.parametrize(
    "path", ["/name", "/file", "/nowhere", "/openapi.json", "/docs", "/assets/start.css"]
)
def test_reply_is_that_of_get_without_its_body(client: TestClient, path: str) -> None:
    get, head = client.get(path), client.head(path)
    assert (head.status_code, head.headers, head.content) == (get.status_code, get.headers, b"")
    assert get.content


def test_path_without_get_does_not_support_head(client: TestClient) -> None:
    reply = client.head("/names")
    assert (reply.status_code, reply.headers["allow"], reply.content) == (405, "POST", b"")


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_every_get_operation_supports_head(system: System) -> None:
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as db:
        app = system.build(db, ISSUER)
        client = TestClient(app, headers={"Authorization": f"Bearer {ISSUER.issue(system.demo_user)}"})
        paths = [path for path, methods in app.openapi()["paths"].items() if "get" in methods]
        replies = {path: (client.get(path).status_code, client.head(path).status_code) for path in paths}
    assert {path: value for path, value in replies.items() if value[0] != value[1]} == {}
    assert len(replies) > 5
