"""The files of the page, served from memory.

The first view has thirty files. Read from the disk in threads, as a usual static file is, they would take longer than
the data that the view shows.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from tablewright.console.replies import problem

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"
TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""Media types by suffix; all other files are plain text."""


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of a file, as of one version on the disk."""

    version: tuple[int, int]
    body: bytes
    tag: str


class PageFiles:
    """The files of a folder by their paths. A file that changes on the disk is read again."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._paths = {
            each.relative_to(folder).as_posix(): each for each in folder.rglob("*") if each.is_file()
        }
        self._contents: dict[str, _Content] = {}

    async def serve(self, request: Request) -> Response:
        """Return a file. A browser asks each time whether a file has changed: another version may be installed."""
        name = request.path_params.get("name", INDEX)
        if name not in self._paths:
            return problem(404, "NotFound", f"the page has no file {name}")
        content = self._content(name)
        headers = {"Cache-Control": "no-cache", "ETag": content.tag}
        if request.headers.get("if-none-match") == content.tag:
            return Response(status_code=304, headers=headers)
        media_type = TYPES.get(self._paths[name].suffix, "text/plain")
        return Response(content.body, headers=headers, media_type=media_type)

    def _content(self, name: str) -> _Content:
        path = self._paths[name]
        status = path.stat()
        version = (status.st_mtime_ns, status.st_size)
        known = self._contents.get(name)
        if known is not None and known.version == version:
            return known
        body = path.read_bytes()
        found = _Content(version, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
        self._contents[name] = found
        return found
