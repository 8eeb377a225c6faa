"""DynamoDB over the network for async code, through aiobotocore, where it is installed.

The direct path of async code is as `direct_calls`, with the settings and the HTTP session of an aiobotocore client.
"""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from aiobotocore.awsrequest import AioAWSResponse
from aiobotocore.config import AioConfig
from aiobotocore.httpsession import AIOHTTPSession
from aiobotocore.session import get_session
from botocore.exceptions import BotoCoreError, ClientError

from tablewright.connections.direct_calls import (
    PREPARED,
    SAMPLE,
    DirectRequests,
    Route,
    UnknownRoute,
    prepared_request,
)
from tablewright.connections.http_exchange import HttpReply, reject_damaged_reply
from tablewright.connections.remote import BOTO3_ERRORS, Remote, tablewright_error, without_metadata
from tablewright.errors import UnknownOperation

_NOT_LEARNED = object()


class AsyncDirectCalls(DirectRequests):
    """Direct calls with the settings of an aiobotocore client for `dynamodb`, in one event loop."""

    def __init__(self, client: Any) -> None:
        super().__init__(client, AIOHTTPSession)
        self._lock = asyncio.Lock()
        self._route: tuple[Any, Route | None] = (_NOT_LEARNED, None)

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any] | None:
        """Send one request; return None, before anything is sent, if aiobotocore must send it."""
        encoded = self.encode(operation, request)
        if encoded is None:
            return None
        wire, body = encoded
        credentials = await self._credentials.get_frozen_credentials()
        account, route = self._route
        if account != credentials.account_id:
            route = await self._learn(credentials)
        if route is None:
            return None
        headers = self.headers(route, wire.target, body, credentials)
        response = await self._session.send(prepared_request(route, headers, body))
        # aiobotocore has the names of headers in lower case.
        return self.read(wire, HttpReply(response.status_code, response.headers, await response.content))

    async def _learn(self, credentials: Any) -> Route | None:
        async with self._lock:
            if self._route[0] != credentials.account_id:
                try:
                    learned = await learn_route_async(self._client, credentials)
                except (UnknownRoute, AttributeError) as error:
                    self.reason, learned = str(error), None
                self._route = (credentials.account_id, learned)
            return self._route[1]


async def learn_route_async(client: Any, credentials: Any) -> Route:
    """Let aiobotocore prepare a request and take over its form; nothing is sent."""
    prepared: list[Any] = []
    this_task = asyncio.current_task()

    def keep(request: Any, **_: Any) -> AioAWSResponse | None:
        if asyncio.current_task() is not this_task:
            return None  # a request of another task is sent
        prepared.append(request)
        return AioAWSResponse(request.url, 200, {}, _EmptyReply())

    client.meta.events.register_first(PREPARED, keep)
    try:
        await client.get_item(**SAMPLE)
    finally:
        client.meta.events.unregister(PREPARED, keep)
    return Route(prepared[0], credentials)


class _EmptyReply:
    """The part of aiohttp's response that aiobotocore reads."""

    async def read(self) -> bytes:
        return b"{}"


class AsyncRemote:
    """The async form of a `Remote`: same endpoint, same settings. The sockets are opened at the first call."""

    def __init__(self, remote: Remote) -> None:
        self._settings = {**remote.settings, "config": AioConfig().merge(remote.settings["config"])}
        self._session = get_session()
        self._stack = AsyncExitStack()
        self._methods: dict[str, Any] = {}
        self._unopened = ["dynamodbstreams", "dynamodb"]
        self._opening = asyncio.Lock()
        self._direct: AsyncDirectCalls | None = None

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request; an error reply is raised as the `ServiceError` with its code."""
        try:
            direct = self._direct or await self._open_direct()
            reply = await direct.call(operation, request)
        except (ClientError, BotoCoreError) as error:
            raise tablewright_error(error) from error
        return await self.call_aiobotocore(operation, request) if reply is None else reply

    async def call_aiobotocore(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request through aiobotocore, as `call` does with requests that the direct path leaves to it."""
        method = self._methods.get(operation) or await self._find(operation)
        try:
            return without_metadata(await method(**request))
        except BOTO3_ERRORS as error:
            raise tablewright_error(error) from error

    async def close(self) -> None:
        """Close the sockets."""
        await self._stack.aclose()

    async def _open_direct(self) -> AsyncDirectCalls:
        await self._find("GetItem")
        assert self._direct is not None  # made with the client for `dynamodb`, which is the first one
        return self._direct

    async def _find(self, operation: str) -> Any:
        async with self._opening:
            while operation not in self._methods and self._unopened:
                client_context = self._session.create_client(self._unopened.pop(), **self._settings)
                client = await self._stack.enter_async_context(client_context)
                client.meta.events.register("before-parse", reject_damaged_reply)
                if self._direct is None:
                    self._direct = AsyncDirectCalls(client)
                for name, api_name in client.meta.method_to_api_mapping.items():
                    self._methods.setdefault(api_name, getattr(client, name))
        if operation not in self._methods:
            raise UnknownOperation(f"DynamoDB has no operation {operation}")
        return self._methods[operation]
