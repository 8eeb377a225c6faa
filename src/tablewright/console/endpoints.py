"""Endpoints: how a view declares what the page can ask of it.

    ROUTES = [
        get("/items", list_items),
        post("/items/delete", delete_item, writes=True),
        events("/streams/{table}/tail", tail),
    ]

Each path is below `/api/v1/designs/{design}`. An endpoint is a plain function of a `ConsoleRequest`; it runs in a
thread, and returns a value for JSON. Its errors become replies in `replies`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from tablewright.console.open_designs import OpenDesign
from tablewright.errors import UsageError

MAX_LIMIT = 1000
"""The most items of one reply."""

M = TypeVar("M", bound=BaseModel)


class Body(BaseModel):
    """The base class of request bodies: unknown members are errors."""

    model_config = ConfigDict(extra="forbid")


class Forbidden(Exception):
    """The console may not do this; the message says which option allows it."""


class Conflict(Exception):
    """What the page has read was changed since; nothing was written."""


@dataclass(frozen=True)
class ConsoleRequest:
    """A request to an endpoint."""

    design: OpenDesign
    path: Mapping[str, str]
    """The parameters in the path."""
    query: Mapping[str, str]
    """The parameters in the query string."""
    content: bytes = b""

    def parse(self, model: type[M]) -> M:
        """Return the body of the request; an invalid body is an error with the name of the member."""
        return model.model_validate_json(self.content or b"{}")

    def text(self, name: str) -> str:
        """Return a required parameter of the query string."""
        if name not in self.query:
            raise UsageError(f"the parameter {name} is missing")
        return self.query[name]

    def number(self, name: str, default: int, most: int = MAX_LIMIT) -> int:
        """Return a whole number from the query string, 1 to `most`."""
        text = self.query.get(name, str(default))
        if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= most):
            raise UsageError(f"{name} is a whole number from 1 to {most}, got {text!r}")
        return int(text)

    def time(self, name: str) -> float | None:
        """Return a time in seconds since 1970 from the query string; without it, None."""
        text = self.query.get(name)
        if text is None:
            return None
        try:
            time = float(text)
        except ValueError:
            time = nan
        if not isfinite(time):
            raise UsageError(f"{name} is a time in seconds since 1970, got {text!r}")
        return time

    def flag(self, name: str) -> bool:
        """Return whether a parameter of the query string is `true`; without it, False."""
        text = self.query.get(name, "false")
        if text not in ("true", "false"):
            raise UsageError(f"{name} is true or false, got {text!r}")
        return text == "true"


Endpoint = Callable[[ConsoleRequest], Any]
EventSource = Callable[[ConsoleRequest], Iterator[Any]]


@dataclass(frozen=True)
class ConsoleRoute:
    """A path, its method and its endpoint."""

    method: Literal["GET", "POST", "EVENTS"]
    path: str
    endpoint: Callable[[ConsoleRequest], Any]
    writes: bool = False
    """Whether it changes the store, which needs --write."""


def get(path: str, endpoint: Endpoint) -> ConsoleRoute:
    """Declare an endpoint that reads."""
    return ConsoleRoute("GET", path, endpoint)


def post(path: str, endpoint: Endpoint, *, writes: bool) -> ConsoleRoute:
    """Declare an endpoint with a body; with `writes`, a read-only console rejects it."""
    return ConsoleRoute("POST", path, endpoint, writes)


def events(path: str, source: EventSource) -> ConsoleRoute:
    """Declare a source of server-sent events.

    The iterator yields a value for each event, and None when there is none at present; the server then waits for
    `application.EVENT_PAUSE` seconds, and sends a comment that keeps the connection open.
    """
    return ConsoleRoute("EVENTS", path, source)
