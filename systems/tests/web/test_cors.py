"""Cross-origin requests are allowed only for configured origins."""

import pytest
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from tablewright_systems.web.cors import cors


def client(*origins: str) -> TestClient:
    def hello(request: Request) -> PlainTextResponse:
        return PlainTextResponse("hello")

    return TestClient(Starlette(routes=[Route("/", hello)], middleware=cors(origins)))


def allowed_origin(client: TestClient, origin: str) -> str | None:
    stored: str | None = client.get("/", headers={"Origin": origin}).headers.get(
        "access-control-allow-origin"
    )
    return stored


def test_no_origin_is_allowed_by_default() -> None:
    assert allowed_origin(client(), "https://app.example.org") is None


def test_only_listed_origins_are_allowed() -> None:
    some = client("https://app.example.org", "http://localhost:3000")
    assert allowed_origin(some, "https://app.example.org") == "https://app.example.org"
    assert allowed_origin(some, "http://localhost:3000") == "http://localhost:3000"
    assert allowed_origin(some, "https://evil.example.org") is None


def test_preflight_allows_the_headers_of_the_apis() -> None:
    asked = {
        "Origin": "https://app.example.org",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
    }
    assert client("https://app.example.org").options("/", headers=asked).status_code == 200
    assert (
        client("https://app.example.org").options("/", headers=asked | {"Origin": "https://x.y"}).status_code
        == 400
    )


@pytest.mark.parametrize("origin", ["*", "app.example.org", "https://app.example.org/", "https://*.org"])
def test_invalid_origin_is_rejected(origin: str) -> None:
    with pytest.raises(ValueError, match="an origin must be like"):
        cors([origin])
