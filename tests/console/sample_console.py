"""A console of one of the systems in memory, with sample data, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient
from tablewright_systems.registry import SYSTEMS

from tablewright import Clock, Repository, connect, keyrings
from tablewright.console.application import build
from tablewright.console.browser_sessions import BrowserSessions
from tablewright.console.open_designs import OpenDesign

BY_NAME = {system.name: system for system in SYSTEMS}
HEADERS = {"X-Tablewright-Console": "1"}


def open_system(
    name: str = "boards",
    *,
    samples: int = 3,
    writable: bool = True,
    reveal: bool = False,
    clock: Clock | None = None,
) -> OpenDesign:
    """Open a system on a store in memory; `samples` is the amount of sample data."""
    system = BY_NAME[name]
    db: Repository[Any] = connect(
        system.design, environment="test", secrets=keyrings.MemoryKeys(), clock=clock
    )
    if samples:
        system.fill(db, samples)
    source = f"tablewright_systems.{name}.design:design"
    return OpenDesign(db, system.title, "memory", source, writable, reveal)


class ConsoleClient:
    """Calls the API of one open design, as the page does."""

    def __init__(self, opened: OpenDesign) -> None:
        self.opened = opened
        sessions = BrowserSessions()
        self.http = TestClient(build([opened], sessions), base_url="http://localhost:8080", headers=HEADERS)
        self.http.get("/", params={"token": sessions.issue()})
        self.prefix = f"/api/v1/designs/{opened.name}"

    def get(self, path: str, **parameters: Any) -> Any:
        """Return the JSON of a reply, which must be a success."""
        reply = self.http.get(self.prefix + path, params=parameters)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def post(self, path: str, body: Any = None) -> Any:
        """Return the JSON of a reply, which must be a success."""
        reply = self.http.post(self.prefix + path, json=body if body is not None else {})
        assert reply.status_code == 200, reply.text
        return reply.json()

    def error(self, method: str, path: str, body: Any = None, **parameters: Any) -> tuple[int, str]:
        """Return the status and the message of a reply, which must be an error."""
        reply = self.http.request(method, self.prefix + path, json=body, params=parameters)
        assert reply.status_code >= 400, reply.text
        return reply.status_code, reply.json()["error"]["message"]


@contextmanager
def console_client(name: str = "boards", **options: Any) -> Iterator[ConsoleClient]:
    """Open a system and a client of its console; both are closed at the end."""
    opened = open_system(name, **options)
    try:
        yield ConsoleClient(opened)
    finally:
        opened.close()
