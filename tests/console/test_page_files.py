"""The files of the page: from memory, read again when they change; the first view preloads what it needs."""

import re
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from tablewright.console.page_files import FOLDER, PageFiles

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
                (file.parent / each).resolve().relative_to(FOLDER.resolve()).as_posix() for each in paths
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
