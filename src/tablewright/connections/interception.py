"""Interception: while it lasts, every DynamoDB client of this process ends up in one database.

Two of botocore's methods are wrapped for that time:

- `Session.create_client`, so that a client can be made with no region and no credentials configured;
- `BaseClient._make_api_call`, so that a client, made before or since, is redirected before its next request.

The redirection itself is an event handler on the client, as for the clients that `boto` makes; it is taken away in the
end. A client that was made meanwhile has no credentials to go anywhere else with, and says so when it is used later.
"""

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from weakref import WeakSet

from botocore import UNSIGNED
from botocore.awsrequest import AWSResponse
from botocore.client import BaseClient
from botocore.config import Config
from botocore.session import Session

from tablewright.connections.boto3_clients import AGENT, NOWHERE, RESIDENTS, Find, answer
from tablewright.errors import TablewrightError

SERVICES = {"dynamodb", "dynamodbstreams"}
_ARGUMENTS = inspect.signature(Session.create_client)


@contextmanager
def intercept(find: Find, region: str) -> Iterator[None]:
    """Let the database answer every DynamoDB client of this process; of several interceptions the newest answers."""
    _SWITCHBOARD.plug(find, region)
    try:
        yield
    finally:
        _SWITCHBOARD.unplug(find, region)


class Switchboard:
    """Who answers. There is one for the process, because botocore's classes are the process's too."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._takers: list[tuple[Find, str]] = []
        self._originals: list[tuple[type, str, Callable[..., Any]]] = []
        self._guests: WeakSet[Any] = WeakSet()
        self._born_here: WeakSet[Any] = WeakSet()

    def plug(self, find: Find, region: str) -> None:
        """Give all requests to this database from now on."""
        with self._lock:
            self._takers.append((find, region))
            if not self._originals:
                for session, client in _botocore_classes():
                    self._wrap(session, "create_client", self._creating)
                    self._wrap(client, "_make_api_call", self._calling)

    def unplug(self, find: Find, region: str) -> None:
        """Stop giving requests to this database; after the last one, leave no trace."""
        with self._lock:
            self._takers.remove((find, region))
            if not self._takers:
                while self._originals:
                    setattr(*self._originals.pop())
                while self._guests:
                    self._release(self._guests.pop())

    def _wrap(self, owner: type, name: str, wrapper: Callable[..., Any]) -> None:
        original = getattr(owner, name)
        self._originals.append((owner, name, original))
        setattr(owner, name, wrapper(original))

    def _creating(self, create: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(create)
        def create_client(*positional: Any, **named: Any) -> Any:
            asked = _ARGUMENTS.bind(*positional, **named).arguments
            if asked["service_name"] not in SERVICES or asked.get("endpoint_url") == NOWHERE:
                return create(**asked)
            self._furnish(asked)
            client = create(**asked)
            if isinstance(client, BaseClient):
                self._born_here.add(client)
                self._adopt(client)
            return client

        return create_client

    def _furnish(self, asked: dict[str, Any]) -> None:
        """Fill in what botocore would otherwise look for on this machine, and on the network."""
        config = asked.get("config") or Config()
        asked["config"] = Config(user_agent=AGENT).merge(config)
        if asked.get("aws_access_key_id") is None:
            asked.update(aws_access_key_id=AGENT, aws_secret_access_key=AGENT)
        configured = config.region_name or asked["self"].get_config_variable("region")
        asked["region_name"] = asked.get("region_name") or configured or self._takers[-1][1]

    def _calling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def make_api_call(client: Any, *arguments: Any, **named: Any) -> Any:
            self._adopt(client)
            return call(client, *arguments, **named)

        return make_api_call

    def _adopt(self, client: Any) -> None:
        """Redirect a client; one made by `boto` stays with its own database."""
        if (
            client in self._guests
            or client in RESIDENTS
            or client.meta.service_model.service_name not in SERVICES
        ):
            return
        with self._lock:
            if client in self._guests:
                return
            events = client.meta.events
            events.unregister("before-send", _refuse)
            events.register_first("before-send", self._answer_to(client))
            events.register_first("choose-signer", _leave_unsigned)
            self._guests.add(client)

    def _release(self, client: Any) -> None:
        events = client.meta.events
        events.unregister("before-send", self._answer_to(client))
        events.unregister("choose-signer", _leave_unsigned)
        if client in self._born_here:
            events.register_first("before-send", _refuse)

    def _answer_to(self, client: Any) -> Callable[..., Any]:
        asynchronous = any(kind.__module__.startswith("aiobotocore") for kind in type(client).__mro__)
        return self._answer_async if asynchronous else self._answer

    def _answer(self, request: Any, event_name: str, **_: Any) -> AWSResponse:
        if not self._takers:  # another thread ended the interception while this request was on its way
            _refuse()
        find, _region = self._takers[-1]
        return answer(find(), request, event_name)

    def _answer_async(self, request: Any, event_name: str, **_: Any) -> "_AsyncResponse":
        return _AsyncResponse(self._answer(request, event_name))


_SWITCHBOARD = Switchboard()


class _AsyncResponse:
    """A response as aiobotocore reads it: its content is awaited."""

    def __init__(self, response: AWSResponse) -> None:
        self.url = response.url
        self.status_code = response.status_code
        self.headers = response.headers
        self.raw = response.raw
        self._response = response

    @property
    async def content(self) -> bytes:
        return bytes(self._response.content)


def _botocore_classes() -> Iterator[tuple[type, type]]:
    """The classes of sessions and of clients; aiobotocore has its own, which matter only once somebody imported it."""
    yield Session, BaseClient
    if "aiobotocore.session" in sys.modules:
        yield sys.modules["aiobotocore.session"].AioSession, sys.modules["aiobotocore.client"].AioBaseClient


def _leave_unsigned(**_: Any) -> Any:
    return UNSIGNED


def _refuse(**_: Any) -> None:
    raise TablewrightError("this client was made inside intercept(), which has ended; make a new one")
