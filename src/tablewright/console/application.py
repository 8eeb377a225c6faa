"""The web application of the console: the page, and the API of its views.

/                                   the page
/api/v1/designs                     the open designs
/api/v1/designs/{design}/...        the endpoints of the views, in `api/`

The files of the page are served from memory: the first view has thirty, and read from the disk in threads, as a usual
static file is, they would take longer than the data that the view shows.
"""

import functools
import hashlib
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tablewright.console.browser_sessions import LOOPBACK, BrowserAccess, BrowserSessions
from tablewright.console.endpoints import ConsoleRequest, ConsoleRoute, Forbidden
from tablewright.console.open_designs import OpenDesign, by_name
from tablewright.console.replies import NO_STORE, json_bytes, json_reply, problem, problem_of

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
            path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
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
        content = _Content(version, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
        self._contents[name] = content
        return content


EVENT_PAUSE = 0.5
"""Seconds between two questions to a source of events that has none."""
MAX_BODY = 4 * 1024 * 1024
VIEWS = (
    "design_view",
    "overview_view",
    "items_view",
    "patterns_view",
    "edit_view",
    "time_view",
    "streams_view",
    "heat_and_cost_view",
    "health_view",
    "operations_view",
    "query_view",
    "tasks_view",
)
"""The modules in `api`, each with its `ROUTES`."""

_END = object()


class ConsoleApplication:
    """The web application of open designs; `close` ends its event streams and background tasks."""

    def __init__(
        self, designs: Sequence[OpenDesign], sessions: BrowserSessions, hosts: Sequence[str] = LOOPBACK
    ) -> None:
        self._designs = by_name(designs)
        self._closing = threading.Event()
        files = PageFiles()
        routes = [
            Route("/", files.serve),
            Route("/api/v1/designs", self._list_designs),
            *(_route(route, self._designs, self._closing) for name in VIEWS for route in routes_of(name)),
            Route("/page/{name:path}", files.serve),
        ]
        handlers: Any = {HTTPException: _not_served, ClientDisconnect: _gone}
        self._application = BrowserAccess(
            Starlette(routes=routes, exception_handlers=handlers), sessions, hosts
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        await self._application(scope, receive, send)

    def open(self, design: OpenDesign) -> None:
        """Show one more design."""
        self._designs.update(by_name([*self._designs.values(), design]))

    async def _list_designs(self, request: Request) -> Response:
        return json_reply({"designs": [design.summary() for design in self._designs.values()]})

    def close(self) -> None:
        """End the event streams and the background tasks, so that the server can stop."""
        self._closing.set()
        for design in self._designs.values():
            design.tasks.close()


def build(
    designs: Sequence[OpenDesign], sessions: BrowserSessions, hosts: Sequence[str] = LOOPBACK
) -> ConsoleApplication:
    """Build the application; `sessions` issues the tokens that open it."""
    return ConsoleApplication(designs, sessions, hosts)


async def _not_served(request: Request, error: HTTPException) -> Response:
    """Return the reply to a path or a method that no endpoint has."""
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        reply = problem(405, "WrongMethod", f"{request.url.path} does not take {request.method} requests")
        reply.headers.update(error.headers or {})
        return reply
    return problem(error.status_code, "NotFound", f"the console has nothing at {request.url.path}")


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    """Return a reply that no client reads: it went away before its request was complete."""
    return problem(400, "Incomplete", "the connection ended before the request was complete")


def routes_of(view: str) -> Sequence[ConsoleRoute]:
    """Return the endpoints of a view."""
    routes: Sequence[ConsoleRoute] = import_module(f"tablewright.console.api.{view}").ROUTES
    return routes


def _route(declared: ConsoleRoute, designs: dict[str, OpenDesign], closing: threading.Event) -> Route:
    async def serve(request: Request) -> Response:
        opened = designs.get(request.path_params["design"])
        if opened is None:
            return problem(404, "UnknownDesign", f"no design {request.path_params['design']} is open here")
        if declared.writes and not opened.writable:
            return problem_of(Forbidden(opened.read_only))
        content = await _content(request)
        if content is None:
            return problem(413, "TooLarge", f"a request body has at most {MAX_BODY} bytes")
        if declared.method == "EVENTS" and request.method == "HEAD":
            return Response(media_type="text/event-stream", headers=NO_STORE)
        console_request = ConsoleRequest(opened, request.path_params, dict(request.query_params), content)
        try:
            result = await run_in_threadpool(declared.endpoint, console_request)
            if declared.method == "EVENTS":
                return StreamingResponse(
                    _events(iter(result), closing), media_type="text/event-stream", headers=NO_STORE
                )
            return json_reply(result)
        except Exception as error:
            return problem_of(error)

    methods = ["POST"] if declared.method == "POST" else ["GET"]
    return Route(f"/api/v1/designs/{{design}}{declared.path}", serve, methods=methods)


async def _content(request: Request) -> bytes | None:
    """Return the body, or None if it is too large."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > MAX_BODY:
            return None
    return bytes(content)


async def _events(source: Iterator[Any], closing: threading.Event) -> AsyncIterator[bytes]:
    """Write the values of a source as server-sent events, until the console is closed."""
    try:
        while not closing.is_set():
            try:
                value = await run_in_threadpool(functools.partial(next, source, _END))
            except Exception as error:
                yield b"event: problem\ndata: " + bytes(problem_of(error).body) + b"\n\n"
                return
            if value is _END:
                return
            if value is None:
                yield b": nothing new\n\n"
                await anyio.sleep(EVENT_PAUSE)
            else:
                yield b"data: " + json_bytes(value) + b"\n\n"
    finally:
        close = getattr(source, "close", None)
        if close is not None:
            close()
