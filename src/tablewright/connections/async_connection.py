"""Connections for async code: the same calls, awaited.

A database in memory replies in microseconds, so it is called directly. A file waits for the disk and boto3 for the
network, so they are called in threads. With aiobotocore installed, an endpoint needs no threads.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, Protocol

from tablewright.connections.connection import Connection
from tablewright.connections.embedded import Embedded

THREADS = 32


class AsyncConnection(Protocol):
    """A `Connection` whose calls are awaited."""

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request; return the reply."""

    async def close(self) -> None:
        """Close what was opened for async use; the connection that it was made from stays open."""


def async_connection(connection: Connection) -> AsyncConnection:
    """Return the async form of a connection."""
    if isinstance(connection, Embedded) and connection.path is None:
        return DirectConnection(connection)
    if not isinstance(connection, Embedded) and find_spec("aiobotocore") is not None:
        from tablewright.connections.aiobotocore_connection import AsyncRemote
        from tablewright.connections.remote import Remote

        if isinstance(connection, Remote) and connection.is_default_session:
            return AsyncRemote(connection)
    return ThreadedConnection(connection)


class DirectConnection:
    """Makes calls directly, because they do not block for long."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run one request."""
        return self._connection.call(operation, request)

    async def close(self) -> None:
        """Do nothing: nothing was opened."""


class ThreadedConnection:
    """Makes blocking calls in the threads of a pool."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="tablewright")

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run one request in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._connection.call, operation, request)

    async def close(self) -> None:
        """Stop the threads."""
        await asyncio.to_thread(self._pool.shutdown)
