"""DynamoDB over the network for async code, through aiobotocore, where it is installed."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from aiobotocore.config import AioConfig
from aiobotocore.session import get_session

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

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request; an error reply is raised as the `ServiceError` with its code."""
        method = self._methods.get(operation) or await self._find(operation)
        try:
            return without_metadata(await method(**request))
        except BOTO3_ERRORS as error:
            raise tablewright_error(error) from error

    async def close(self) -> None:
        """Close the sockets."""
        await self._stack.aclose()

    async def _find(self, operation: str) -> Any:
        async with self._opening:
            while operation not in self._methods and self._unopened:
                client_context = self._session.create_client(self._unopened.pop(), **self._settings)
                client = await self._stack.enter_async_context(client_context)
                for name, api_name in client.meta.method_to_api_mapping.items():
                    self._methods.setdefault(api_name, getattr(client, name))
        if operation not in self._methods:
            raise UnknownOperation(f"DynamoDB has no operation {operation}")
        return self._methods[operation]
