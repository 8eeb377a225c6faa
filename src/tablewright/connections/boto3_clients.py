"""boto3 in the process: real clients whose requests never reach a socket.

botocore announces each finished HTTP request as `before-send` and takes a handler's answer in place of the network's.
So everything above the socket stays boto3's own: validation, conversion, retries, paginators, waiters, exceptions.

This module imports boto3, which takes a while: import it only where somebody asks for a client.
"""

import os
import threading
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any, Literal
from weakref import WeakSet

import boto3
import botocore.session
from botocore import UNSIGNED
from botocore.awsrequest import AWSResponse
from botocore.config import Config

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tablewright.values.stored_items import parse_body, to_json

Find = Callable[[], Database]
"""Finds the database when a request arrives, or raises because it was closed."""

# A name of our own spares botocore from composing its long one twice a request, a third of the whole cost.
AGENT = "tablewright"
# The endpoint of the clients made here. Nothing is ever sent to it.
NOWHERE = "http://dynamodb.tablewright.invalid"

RESIDENTS: "WeakSet[Any]" = WeakSet()
"""The clients made here: each belongs to its database for good."""

_request_numbers = count(1)
_creation = threading.Lock()  # boto3's sessions are not safe to use from several threads; its clients are.


def client(service: str, find: Find, region: str, config: Any) -> Any:
    """A boto3 client whose requests the database answers."""
    made = _create("client", service, region, config)
    _bind(made, find)
    return made


def resource(service: str, find: Find, region: str, config: Any) -> Any:
    """A boto3 resource whose requests the database answers."""
    made = _create("resource", service, region, config)
    _bind(made.meta.client, find)
    return made


def _create(kind: Literal["client", "resource"], service: str, region: str, config: Any) -> Any:
    ours = Config(signature_version=UNSIGNED, user_agent=AGENT)
    with _creation:
        create = getattr(_session(), kind)
        return create(
            service, region_name=region, endpoint_url=NOWHERE, config=ours.merge(config or Config())
        )


@cache
def _session() -> Any:
    """One session for all our clients, as loading AWS's models is slow. The user's profiles have no say in it."""
    nobody = {"profile": (None, None, None, None), "config_file": (None, None, os.devnull, None)}
    return boto3.Session(botocore_session=botocore.session.Session(session_vars=nobody))


def _bind(client: Any, find: Find) -> None:
    def answer_here(request: Any, event_name: str, **_: Any) -> AWSResponse:
        return answer(find(), request, event_name)

    client.meta.events.register_first("before-send", answer_here)
    RESIDENTS.add(client)


def answer(database: Database, request: Any, event_name: str) -> AWSResponse:
    """What the database says to a request, as an HTTP response; the event is `before-send.<service>.<operation>`."""
    status, body = _run(database, event_name.rpartition(".")[2], request.body)
    headers = {
        "x-amzn-RequestId": f"TABLEWRIGHT{next(_request_numbers):041}",
        "Content-Type": "application/x-amz-json-1.0",
    }
    return AWSResponse(request.url, status, headers, _Received(body))


def _run(database: Database, operation: str, body: bytes) -> tuple[int, bytes]:
    """As `Database.call_json`, but trouble with the file is raised: a 500 would make boto3 try ten times, in vain."""
    try:
        return 200, to_json(database.execute(operation, parse_body(body)))
    except ServiceError as refusal:
        return refusal.status, to_json(refusal.body())


class _Received:
    """The part of urllib3's response that botocore reads, when all of it is here already."""

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        self.body = body

    def stream(self) -> tuple[bytes]:
        return (self.body,)
