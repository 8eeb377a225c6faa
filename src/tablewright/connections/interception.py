"""Interception: redirect every DynamoDB client of this process to one database, for the duration of a block.

Two of botocore's methods are wrapped for that time:

- `Session.create_client`, so that a client can be made with no region and no credentials configured;
- `BaseClient._make_api_call`, so that a client, made before or since, is redirected before its next request.

The redirection itself is an event handler on the client, as for the clients of `boto3_clients`; it is removed at the
end. A client that was made inside the block has no credentials for another endpoint; it raises an error when it is
used later.
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

from tablewright.connections.boto3_clients import AGENT, BOUND_CLIENTS, INVALID_ENDPOINT, GetDatabase, execute
from tablewright.errors import TablewrightError

SERVICES = {"dynamodb", "dynamodbstreams"}
_ARGUMENTS = inspect.signature(Session.create_client)


@contextmanager
def intercept(get_database: GetDatabase, region: str) -> Iterator[None]:
    """Redirect every DynamoDB client of this process to a database; of nested interceptions the innermost applies."""
    _INTERCEPTOR.start(get_database, region)
    try:
        yield
    finally:
        _INTERCEPTOR.stop(get_database, region)


class Interceptor:
    """Redirects clients. There is one for the process, because botocore's classes are shared by the process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._targets: list[tuple[GetDatabase, str]] = []
        self._originals: list[tuple[type, str, Callable[..., Any]]] = []
        self._redirected: WeakSet[Any] = WeakSet()
        self._created_here: WeakSet[Any] = WeakSet()
        self._ended: WeakSet[Any] = WeakSet()

    def start(self, get_database: GetDatabase, region: str) -> None:
        """Redirect all requests to this database from now on."""
        with self._lock:
            self._targets.append((get_database, region))
            if not self._originals:
                for session, client in _botocore_classes():
                    self._wrap(session, "create_client", self._wrap_create_client)
                    self._wrap(client, "_make_api_call", self._wrap_make_api_call)

    def stop(self, get_database: GetDatabase, region: str) -> None:
        """Stop redirecting requests to this database; after the last one, restore botocore and the clients."""
        with self._lock:
            self._targets.remove((get_database, region))
            if not self._targets:
                while self._originals:
                    setattr(*self._originals.pop())
                while self._redirected:
                    self._release(self._redirected.pop())

    def _wrap(self, owner: type, name: str, wrapper: Callable[..., Any]) -> None:
        original = getattr(owner, name)
        self._originals.append((owner, name, original))
        setattr(owner, name, wrapper(original))

    def _wrap_create_client(self, create: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(create)
        def create_client(*positional: Any, **named: Any) -> Any:
            arguments = _ARGUMENTS.bind(*positional, **named).arguments
            if arguments["service_name"] not in SERVICES or arguments.get("endpoint_url") == INVALID_ENDPOINT:
                return create(**arguments)
            self._add_defaults(arguments)
            client = create(**arguments)
            if isinstance(client, BaseClient):
                self._created_here.add(client)
                self._redirect(client)
            return client

        return create_client

    def _add_defaults(self, arguments: dict[str, Any]) -> None:
        """Add the settings that botocore would otherwise look up on this machine and on the network."""
        config = arguments.get("config") or Config()
        arguments["config"] = Config(user_agent=AGENT).merge(config)
        if arguments.get("aws_access_key_id") is None:
            arguments.update(aws_access_key_id=AGENT, aws_secret_access_key=AGENT)
        configured = config.region_name or arguments["self"].get_config_variable("region")
        arguments["region_name"] = arguments.get("region_name") or configured or self._targets[-1][1]

    def _wrap_make_api_call(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def make_api_call(client: Any, *arguments: Any, **named: Any) -> Any:
            self._redirect(client)
            return call(client, *arguments, **named)

        return make_api_call

    def _redirect(self, client: Any) -> None:
        """Redirect a client; a client of `boto3_clients` stays with its own database."""
        if (
            client in self._redirected
            or client in BOUND_CLIENTS
            or client.meta.service_model.service_name not in SERVICES
        ):
            return
        with self._lock:
            if client in self._redirected:
                return
            events = client.meta.events
            if client in self._ended:  # botocore fails to unregister a handler that was never registered
                events.unregister("before-send", _raise_ended)
                self._ended.discard(client)
            events.register_first("before-send", self._handler_for(client))
            events.register_first("choose-signer", _leave_unsigned)
            self._redirected.add(client)

    def _release(self, client: Any) -> None:
        events = client.meta.events
        events.unregister("before-send", self._handler_for(client))
        events.unregister("choose-signer", _leave_unsigned)
        if client in self._created_here:
            events.register_first("before-send", _raise_ended)
            self._ended.add(client)

    def _handler_for(self, client: Any) -> Callable[..., Any]:
        asynchronous = any(kind.__module__.startswith("aiobotocore") for kind in type(client).__mro__)
        return self._execute_async if asynchronous else self._execute

    def _execute(self, request: Any, event_name: str, **_: Any) -> AWSResponse:
        if not self._targets:  # another thread ended the interception during this request
            _raise_ended()
        get_database, _region = self._targets[-1]
        return execute(get_database(), request, event_name)

    def _execute_async(self, request: Any, event_name: str, **_: Any) -> "_AsyncResponse":
        return _AsyncResponse(self._execute(request, event_name))


_INTERCEPTOR = Interceptor()


class _AsyncResponse:
    """A response as aiobotocore reads it: the content is awaited."""

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
    """Return the classes of sessions and clients; those of aiobotocore only when it is imported."""
    yield Session, BaseClient
    if "aiobotocore.session" in sys.modules:
        yield sys.modules["aiobotocore.session"].AioSession, sys.modules["aiobotocore.client"].AioBaseClient


def _leave_unsigned(**_: Any) -> Any:
    return UNSIGNED


def _raise_ended(**_: Any) -> None:
    raise TablewrightError("this client was made inside intercept(), which has ended; make a new client")
