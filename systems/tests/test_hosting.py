"""All systems behind one address: pages that load nothing from other servers, keys beside the data file."""

import hashlib
import re
import stat
import urllib.request
from collections.abc import Iterator
from html import unescape
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from tablewright_systems.hosting import HostedSystems, issuer_for, keys_for, listen, serving
from tablewright_systems.registry import find
from tablewright_systems.web.authentication import LocalIssuer

from tablewright import embedded

ISSUER = LocalIssuer()


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[TestClient]:
    with embedded() as database:
        systems = HostedSystems(database, keys_for(tmp_path / "data"))
        yield TestClient(systems.application(ISSUER.for_audience, "http://127.0.0.1:8000"))


@pytest.mark.parametrize("path", ["/", "/boards/docs", "/collabhub/docs"])
def test_pages_load_only_files_of_this_server(hosted: TestClient, path: str) -> None:
    page = hosted.get(path)
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "<style" not in page.text
    loaded = re.findall(r'(?:src|link rel="stylesheet" href|data-openapi)="([^"]*)"', page.text)
    assert loaded
    for file in loaded:
        assert file.startswith("/")
        assert hosted.get(file).status_code == 200
    assert re.findall(r"<script(?! src=)", page.text) == []


def test_api_page_has_examples_of_the_sample_data(tmp_path: Path) -> None:
    boards = find("boards")
    assert boards is not None
    with embedded() as database:
        systems = HostedSystems(database, keys_for(tmp_path / "data"), [boards])
        systems.fill(2)
        client = TestClient(systems.application(ISSUER.for_audience, "http://127.0.0.1:8000"))
        operation = client.get("/boards/openapi.json").json()["paths"]["/boards/{boardId}"]["get"]
        (board_id,) = [
            parameter["example"] for parameter in operation["parameters"] if parameter["name"] == "boardId"
        ]
        token = ISSUER.for_audience("boards").issue(boards.demo_user)
        reply = client.get(f"/boards/boards/{board_id}", headers={"Authorization": f"Bearer {token}"})
    assert (reply.status_code, reply.json()["boardId"]) == (200, board_id)


def test_start_page_shows_commands_for_its_data_file(tmp_path: Path) -> None:
    data = tmp_path / "my data.db"
    with embedded() as database:
        systems = HostedSystems(database, keys_for(data))
        page = TestClient(systems.application(ISSUER.for_audience, "http://127.0.0.1:8000", data=data)).get(
            "/"
        )
    assert f"tablewright-systems token boards --on '{data}'" in unescape(page.text)


def test_start_page_counts_in_words(hosted: TestClient) -> None:
    page = hosted.get("/").text
    assert re.search(r"\b1 table ·", page)
    assert not re.search(r"\b1 (tables|flows|access patterns)\b", page)


def test_metrics_are_served(hosted: TestClient) -> None:
    reply = hosted.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain")
    assert "tablewright_store_retries_total" in reply.text


def test_vendored_files_are_unchanged() -> None:
    folder = Path(str(files("tablewright_systems.web.pages"))) / "vendor"
    sums = re.findall(r"^([0-9a-f]{64})  (\S+)$", (folder / "README.md").read_text(), re.MULTILINE)
    assert sums
    for checksum, name in sums:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == checksum


def test_keys_are_created_once_beside_the_data_file(tmp_path: Path) -> None:
    data = tmp_path / "app.db"
    token = issuer_for(data).issue("ada")
    assert issuer_for(data).authenticate(token).user_id == "ada"
    assert stat.S_IMODE((tmp_path / "app.db.issuer.pem").stat().st_mode) == 0o600
    keys_for(data)
    created = (tmp_path / "app.db.keys.json").read_bytes()
    keys_for(data)
    assert (tmp_path / "app.db.keys.json").read_bytes() == created


def test_token_for_one_system_is_rejected_by_the_others(hosted: TestClient) -> None:
    headers = {"Authorization": f"Bearer {ISSUER.for_audience('boards').issue('ada', roles=['admin'])}"}
    assert hosted.get("/boards/me/boards", headers=headers).status_code == 200
    for path in (
        "/listbackup/users/me",
        "/student_hub/profile",
        "/goalsguild/profile",
        "/collabhub/users/me",
    ):
        reply = hosted.get(path, headers=headers)
        assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated")


def test_forged_forwarding_headers_do_not_avoid_the_login_limit(hosted: TestClient) -> None:
    with listen("127.0.0.1", 0) as listener, httpx.Client() as client:
        assert isinstance(hosted.app, Starlette)
        with serving(hosted.app, listener):
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/goalsguild/logins"
            statuses = [
                client.post(
                    url,
                    json={"email": f"user{number}@example.org", "password": "a wrong password"},
                    headers={"X-Forwarded-For": f"198.51.100.{number}"},
                ).status_code
                for number in range(70)
            ]
    assert statuses == [401] * 50 + [429] * 20


def test_unknown_host_is_rejected(hosted: TestClient) -> None:
    assert hosted.get("/", headers={"Host": "evil.example"}).status_code == 400


def test_sample_data_is_written_once(tmp_path: Path) -> None:
    with embedded() as database:
        systems = HostedSystems(database, keys_for(tmp_path / "data"))
        names: list[str] = []
        systems.fill(1, names.append)
        systems.fill(1, names.append)
        assert names == list(systems.repositories) * 2


@pytest.mark.parametrize(
    ("trusted", "client"),
    [([], "127.0.0.1"), (["192.0.2.1"], "127.0.0.1"), (["127.0.0.1"], "203.0.113.9")],
    ids=["no proxy", "another proxy", "this proxy"],
)
def test_forwarded_address_counts_only_from_a_trusted_proxy(trusted: list[str], client: str) -> None:
    def who(request: Request) -> PlainTextResponse:
        assert request.client is not None
        return PlainTextResponse(request.client.host)

    with listen("127.0.0.1", 0) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        with serving(Starlette(routes=[Route("/", who)]), listener, trusted):
            request = urllib.request.Request(address, headers={"X-Forwarded-For": "203.0.113.9"})
            with urllib.request.urlopen(request, timeout=30) as reply:
                assert reply.read().decode() == client
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address, timeout=30)


def test_a_port_in_use_is_an_error_at_once() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", first.getsockname()[1])
