"""Listening: from a database to a running server, and back down when asked to stop."""

import asyncio
import signal
from collections.abc import Callable

from tablewright.engine.database import Database
from tablewright.server.connections import Connection


async def serve(database: Database, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is told the port."""
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stopping.set)
    server = await loop.create_server(lambda: Connection(database), host, port)
    ready(server.sockets[0].getsockname()[1])
    await stopping.wait()
    server.close()
