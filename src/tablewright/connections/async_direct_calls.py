"""The direct path of async code: as `direct_calls`, with the settings and the HTTP session of an aiobotocore client."""

import asyncio
from typing import Any

from aiobotocore.awsrequest import AioAWSResponse
from aiobotocore.httpsession import AIOHTTPSession

from tablewright.connections.direct_calls import DirectRequests, prepared_request
from tablewright.connections.direct_route import PREPARED, SAMPLE, Route, UnknownRoute
from tablewright.connections.http_exchange import HttpReply

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
