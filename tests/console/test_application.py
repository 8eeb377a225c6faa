"""The application: routes, bodies, read-only consoles, events, and the files of the page."""

import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from tablewright.console import application
from tablewright.console.application import FOLDER, PageFiles
from tablewright.console.browser_sessions import BrowserSessions
from tests.console.sample_console import ConsoleClient, console_client, open_system

PAGE = Path(application.__file__).parent / "page"


def test_the_designs_are_listed() -> None:
    with console_client("boards", samples=0) as console:
        designs = console.http.get("/api/v1/designs").json()["designs"]
    assert [(design["name"], design["writable"]) for design in designs] == [("boards", True)]


def test_a_read_only_console_rejects_every_endpoint_that_writes() -> None:
    with console_client("boards", samples=0, writable=False) as console:
        writing = [
            each.path for view in application.VIEWS for each in application.routes_of(view) if each.writes
        ]
        assert writing
        for path in writing:
            concrete = re.sub(r"\{[^}]*\}", "x", path)
            status, message = console.error("POST", concrete, {})
            assert (status, "--write" in message) == (403, True), path


def test_a_body_has_a_limit() -> None:
    with console_client("boards", samples=0) as console:
        writing = next(
            each
            for view in application.VIEWS
            for each in application.routes_of(view)
            if each.method == "POST"
        )
        path = f"{console.prefix}{re.sub(r'{[^}]*}', 'x', writing.path)}"
        reply = console.http.post(path, content=b" " * (application.MAX_BODY + 1))
    assert reply.status_code == 413


def test_every_file_of_the_page_is_served_with_its_type() -> None:
    opened = open_system("boards", samples=0)
    with opened.db:
        console = ConsoleClient(opened)
        for file in PAGE.rglob("*.*"):
            reply = console.http.get(f"/page/{file.relative_to(PAGE)}")
            assert reply.status_code == 200
            if file.suffix == ".js":
                assert "javascript" in reply.headers["content-type"]


def test_files_outside_the_page_are_not_served() -> None:
    with console_client("boards", samples=0) as console:
        for path in ("/page/../application.py", "/page/%2e%2e/application.py", "/page//etc/passwd"):
            assert console.http.get(path).status_code == 404


def test_the_page_loads_nothing_from_elsewhere() -> None:
    for file in [*PAGE.rglob("*.js"), *PAGE.rglob("*.css"), *PAGE.rglob("*.html")]:
        if "vendor" not in file.parts:
            assert not re.search(r"https?://(?!127\.0\.0\.1|localhost|www\.w3\.org)", file.read_text()), file


def test_the_page_never_writes_markup_from_data() -> None:
    for file in PAGE.rglob("*.js"):
        if "vendor" not in file.parts:
            text = file.read_text()
            assert "innerHTML" not in text, file
            assert "insertAdjacentHTML" not in text, file
            assert "eval(" not in text, file


def test_two_designs_of_one_name_are_an_error() -> None:
    from tablewright.errors import UsageError

    opened = open_system("boards", samples=0)
    with opened.db, pytest.raises(UsageError, match="different names"):
        application.build([opened, opened], BrowserSessions())


def test_without_a_session_nothing_is_served() -> None:
    opened = open_system("boards", samples=0)
    with opened.db:
        http = TestClient(application.build([opened], BrowserSessions()), base_url="http://localhost:8090")
        for path in ("/", "/api/v1/designs", "/page/main.js", "/api/v1/designs/boards"):
            assert http.get(path).status_code == 401


def test_a_closed_console_ends_its_event_streams() -> None:
    opened = open_system("boards", samples=0)
    with opened.db:
        sessions = BrowserSessions()
        console = application.build([opened], sessions)
        http = TestClient(console, base_url="http://localhost:8090")
        http.get("/", params={"token": sessions.issue()})
        console.close()
        events = next(
            each.path
            for view in application.VIEWS
            for each in application.routes_of(view)
            if each.method == "EVENTS"
        )
        assert http.get(f"/api/v1/designs/boards{events}").content == b""


def test_the_styles_of_a_view_apply_to_that_view_only() -> None:
    for file in (PAGE / "views").glob("*.css"):
        text = file.read_text()
        assert text.startswith(f".view-{file.stem} {{\n"), file
        assert text.count(f".view-{file.stem}") == 1, file
        depths = [text[:at].count("{") - text[:at].count("}") for at in range(1, len(text.rstrip()))]
        assert min(depths[len(f".view-{file.stem} {{") :]) >= 1, file


def test_unknown_paths_and_methods_are_errors_in_json() -> None:
    with console_client("boards", samples=0) as console:
        path = f"{console.prefix}/items/read"
        for method in ("GET", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
            reply = console.http.request(method, path)
            assert (reply.status_code, reply.json()["error"]["code"]) == (405, "WrongMethod")
            assert reply.headers["allow"] == "POST"
        for path in ("/api/v1/designs/boards/none", "/api/v1/designs/a%2Fb/items", "/none"):
            assert console.http.get(path).json()["error"]["code"] in ("NotFound", "UnknownDesign")


def test_the_head_of_an_event_stream_starts_no_stream() -> None:
    with console_client("boards", samples=0) as console:
        reply = console.http.head(f"{console.prefix}/tasks/events")
    assert (reply.status_code, reply.content) == (200, b"")


def test_a_client_that_goes_away_in_the_middle_of_its_request_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sent: list[Any] = []
    parts = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Any:
        return next(parts)

    async def send(message: Any) -> None:
        sent.append(message)

    with console_client("boards", samples=0) as console:
        http = console.http
        headers = {"host": "localhost:8080", "x-tablewright-console": "1"}
        headers["cookie"] = "; ".join(f"{each.name}={each.value}" for each in http.cookies.jar)
        scope = {
            "type": "http",
            "method": "POST",
            "path": f"{console.prefix}/items/read",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        anyio.run(http.app, scope, receive, send)
    assert sent[0]["status"] == 400
    assert not caplog.records


FIRST = ("main.js", "views/overview.js")
"""The modules of the first view; they import the others."""


def client_of(folder: Path) -> TestClient:
    files = PageFiles(folder)
    return TestClient(Starlette(routes=[Route("/", files.serve), Route("/page/{name:path}", files.serve)]))


def imports_of(name: str) -> set[str]:
    """Return a module and all modules that it imports statically, by their paths in the folder."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            file = FOLDER / name
            paths = re.findall(
                r'^(?:import|export)\b[^;]*?from\s*"(\.[^"]+)"', file.read_text(), re.MULTILINE
            )
            if "vendor" in file.parts:
                paths = re.findall(r'from"(\.[^"]+)"', file.read_text())
            waiting += [
                (file.parent / path).resolve().relative_to(FOLDER.resolve()).as_posix() for path in paths
            ]
    return found


def test_a_file_is_sent_once_and_then_only_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "views" / "a.js"
    file.parent.mkdir()
    file.write_text("one")
    client = client_of(tmp_path)
    reply = client.get("/page/views/a.js")
    assert (reply.status_code, reply.text) == (200, "one")
    assert reply.headers["content-type"].startswith("text/javascript")
    assert reply.headers["cache-control"] == "no-cache"
    known = {"If-None-Match": reply.headers["etag"]}
    again = client.get("/page/views/a.js", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    file.write_text("other")
    changed = client.get("/page/views/a.js", headers=known)
    assert (changed.status_code, changed.text) == (200, "other")


def test_other_files_are_not_found(tmp_path: Path) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "index.html").write_text("<!doctype html>")
    client = client_of(folder)
    assert client.get("/").headers["content-type"].startswith("text/html")
    for path in ("/page/../secret", "/page/%2e%2e/secret", "/page//etc/passwd", "/page/", "/page/none.js"):
        reply = client.get(path)
        assert reply.status_code == 404
        assert "secret" not in reply.text or "no file" in reply.text


def test_the_first_view_preloads_all_modules_that_it_imports() -> None:
    needed = {each for name in FIRST for each in imports_of(name)} - {"main.js"}
    links = re.findall(r'<link rel="modulepreload" href="page/([^"]+)">', (FOLDER / "index.html").read_text())
    expected = "\n".join(f'<link rel="modulepreload" href="page/{each}">' for each in sorted(needed))
    assert sorted(links) == sorted(needed), f"write into index.html:\n{expected}"
