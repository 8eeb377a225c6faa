"""Connections for async code: the same calls, awaited.

A database in memory answers in microseconds, so it is asked on the spot. A file waits for the disk and boto3 for the
network, so they are asked in threads; where aiobotocore is installed, an endpoint needs no thread.
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
        """Let go of what was opened for async use; the connection it was made from stays open."""


def asynchronous(connection: Connection) -> AsyncConnection:
    """A connection as async code wants it."""
    if isinstance(connection, Embedded) and connection.path is None:
        return OnTheSpot(connection)
    if not isinstance(connection, Embedded) and find_spec("aiobotocore") is not None:
        from tablewright.connections.aiobotocore_connection import AsyncRemote
        from tablewright.connections.remote import Remote

        if isinstance(connection, Remote) and connection.is_default_session:
            return AsyncRemote(connection)
    return InThreads(connection)


class OnTheSpot:
    """Calls that take no time worth waiting for."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run one request."""
        return self._connection.call(operation, request)

    async def close(self) -> None:
        """Nothing was opened."""


class InThreads:
    """Calls that block, each in a thread of a pool of its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="tablewright")

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run one request in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._connection.call, operation, request)

    async def close(self) -> None:
        """End the threads."""
        await asyncio.to_thread(self._pool.shutdown)
