"""boto3 in the process: real clients whose requests are executed here, without a socket.

botocore emits the event `before-send` for each finished HTTP request and accepts a handler's response instead of the
network's. So everything above the socket is boto3's own: validation, conversion, retries, paginators, waiters,
exceptions.

This module imports boto3, which is slow: import it only to make a client.
"""

import os
import threading
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any, Literal, Protocol
from weakref import WeakSet

import boto3
import botocore.session
from botocore import UNSIGNED
from botocore.awsrequest import AWSResponse
from botocore.config import Config

from tablewright.dynamodb.values.stored_items import parse_body, to_json
from tablewright.errors import ServiceError


class ExecutesRequests(Protocol):
    """A database as a client needs it: the engine's, without importing the engine."""

    def execute(self, operation: str, request: dict[str, Any]) -> Any:
        """Execute one request; return its reply, as `to_json` takes it."""


GetDatabase = Callable[[], ExecutesRequests]
"""Returns the database when a request arrives, or raises because it is closed."""

# botocore composes its long default user agent twice a request, a third of the whole cost; a fixed one avoids that.
AGENT = "tablewright"
# The endpoint of the clients made here. No request is ever sent to it.
INVALID_ENDPOINT = "http://dynamodb.tablewright.invalid"

BOUND_CLIENTS: "WeakSet[Any]" = WeakSet()
"""The clients made here; each is bound to its database and never redirected."""

_request_numbers = count(1)
_creation = threading.Lock()  # boto3's sessions are not safe to use from several threads; its clients are.


def client(service: str, get_database: GetDatabase, region: str, config: Any) -> Any:
    """Return a boto3 client whose requests the database executes."""
    made = _create("client", service, region, config)
    _bind(made, get_database)
    return made


def resource(service: str, get_database: GetDatabase, region: str, config: Any) -> Any:
    """Return a boto3 resource whose requests the database executes."""
    made = _create("resource", service, region, config)
    _bind(made.meta.client, get_database)
    return made


def _create(kind: Literal["client", "resource"], service: str, region: str, config: Any) -> Any:
    ours = Config(signature_version=UNSIGNED, user_agent=AGENT)
    with _creation:
        create = getattr(_session(), kind)
        return create(
            service, region_name=region, endpoint_url=INVALID_ENDPOINT, config=ours.merge(config or Config())
        )


@cache
def _session() -> Any:
    """Return one session for all clients, as loading AWS's models is slow. It ignores the user's profiles."""
    no_profiles = {"profile": (None, None, None, None), "config_file": (None, None, os.devnull, None)}
    return boto3.Session(botocore_session=botocore.session.Session(session_vars=no_profiles))


def _bind(client: Any, get_database: GetDatabase) -> None:
    def execute_here(request: Any, event_name: str, **_: Any) -> AWSResponse:
        return execute(get_database(), request, event_name)

    client.meta.events.register_first("before-send", execute_here)
    BOUND_CLIENTS.add(client)


def execute(database: ExecutesRequests, request: Any, event_name: str) -> AWSResponse:
    """Execute a request; return the HTTP response. The event is `before-send.<service>.<operation>`."""
    status, body = _run(database, event_name.rpartition(".")[2], request.body)
    headers = {
        "x-amzn-RequestId": f"TABLEWRIGHT{next(_request_numbers):041}",
        "Content-Type": "application/x-amz-json-1.0",
    }
    return AWSResponse(request.url, status, headers, _Received(body))


def _run(database: ExecutesRequests, operation: str, body: bytes) -> tuple[int, bytes]:
    """As `Database.call_json`, but errors of the file are raised: a status 500 would make boto3 retry ten times."""
    try:
        return 200, to_json(database.execute(operation, parse_body(body)))
    except ServiceError as error:
        return error.status, to_json(error.body())


class _Received:
    """The part of urllib3's response that botocore reads, with the whole body present."""

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        self.body = body

    def stream(self) -> tuple[bytes]:
        return (self.body,)
