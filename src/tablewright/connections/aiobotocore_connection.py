"""DynamoDB over the network for async code, through aiobotocore, where it is installed."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from aiobotocore.config import AioConfig
from aiobotocore.session import get_session
from botocore.exceptions import BotoCoreError, ClientError

from tablewright.connections.async_direct_calls import AsyncDirectCalls
from tablewright.connections.damaged_replies import reject_damaged_reply
from tablewright.connections.remote import BOTO3_ERRORS, Remote, tablewright_error, without_metadata
from tablewright.errors import UnknownOperation


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
