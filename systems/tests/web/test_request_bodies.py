"""Limits of request bodies."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from tablewright_systems.web.request_bodies import MAX_DEPTH, MAX_SIZE, BodyLimits, is_too_deep


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", False),
        (b"[" * MAX_DEPTH, False),
        (b"[" * (MAX_DEPTH + 1), True),
        (b'{"a":' * (MAX_DEPTH + 1), True),
        (b"[]" * 1_000, False),
        (b'"' + b"[" * 1_000 + b'"', False),
        (b'"' + b"[" * 1_000, False),
        (b'"\\"' + b"[" * 1_000 + b'"', False),
        (b'"\\\\"' + b"[" * 1_000, True),
    ],
)
def test_only_brackets_outside_of_strings_count(body: bytes, expected: bool) -> None:
    assert is_too_deep(body) is expected


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()

    @app.post("/")
    async def size(request: Request) -> int:
        return len(await request.body())

    app.add_middleware(BodyLimits)
    return TestClient(app)


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8"])
def test_json_within_the_limits_is_passed_on(client: TestClient, content_type: str) -> None:
    assert client.post("/", content=b"[1]", headers={"content-type": content_type}).json() == 3
    assert client.post("/").json() == 0


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_another_content_type_is_unsupported(client: TestClient, content_type: str) -> None:
    reply = client.post("/", content=b"a=1", headers={"content-type": content_type})
    assert (reply.status_code, reply.json()["code"]) == (415, "unsupported_content_type")


def parts(size: int) -> Iterator[bytes]:
    for _ in range(size // 1024):
        yield b" " * 1024


def test_body_over_the_limit_is_too_large_with_and_without_a_length(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    for content in (b" " * (MAX_SIZE + 1), parts(MAX_SIZE + 1024)):
        reply = client.post("/", content=content, headers=headers)
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
    assert client.post("/", content=parts(MAX_SIZE), headers=headers).json() == MAX_SIZE
