"""Listening: from a database to a running server, and back down when asked to stop."""

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Callable

from tablewright.engine.database import Database
from tablewright.server.batching import Rounds
from tablewright.server.client_connection import Connection
from tablewright.server.request_log import access
from tablewright.server.service import Service

if sys.platform == "win32":  # pragma: no cover - uvloop is not made for Windows
    from asyncio import run as run_loop
else:
    from uvloop import run as run_loop

# Open files are limited, often to 1,024. One more client takes the place of who has been silent for longest; where
# nobody is silent it is closed at once rather than left waiting.
MOST_CONNECTIONS = 900
# Bytes of requests that are still coming or wait for their turn, over all clients: 32 of the largest there may be.
MOST_GATHERED = 512 * 1024 * 1024
# Seconds for open requests to finish once the server stops.
GRACE = 10.0
_LOOK_EVERY = 1.0


class Server:
    """The connections, and what they share."""

    def __init__(self, database: Database, service: Service) -> None:
        self.rounds = Rounds(database, service, asyncio.get_running_loop())
        self.logs = access.isEnabledFor(logging.INFO)
        self.is_stopping = False
        self.time = time.monotonic
        self.connections: set[Connection] = set()
        self._empty = asyncio.Event()

    def opened(self, connection: Connection) -> None:
        """A client has come."""
        if self.is_stopping or not self._has_room():
            connection.drop()
        else:
            self.connections.add(connection)

    def closed(self, connection: Connection) -> None:
        """A client has gone."""
        self.connections.discard(connection)
        if connection.held:
            self.rounds.forget(connection)
        if self.is_stopping and not self.connections:
            self._empty.set()

    def _has_room(self) -> bool:
        """Whether one more can be served, if need be in the place of the one that has been idle for longest."""
        if len(self.connections) < MOST_CONNECTIONS:
            return True
        idle = [connection for connection in self.connections if not connection.is_busy]
        if not idle:
            return False
        longest = min(idle, key=lambda connection: connection.deadline)
        longest.drop()
        self.connections.discard(longest)
        return True

    async def watch(self) -> None:
        """Drop late clients, every now and then."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            self.drop_late()

    def drop_late(self) -> None:
        """Drop the clients that took too long; and should all together hold too much, the greediest."""
        now = self.time()
        for connection in [each for each in self.connections if each.deadline < now]:
            connection.drop()
        held = sum(connection.gathered for connection in self.connections)
        for connection in sorted(self.connections, key=lambda each: each.gathered, reverse=True):
            if held <= MOST_GATHERED:
                break
            held -= connection.gathered
            connection.drop()

    async def stop(self) -> None:
        """Let open requests finish, for a while; then end."""
        self.is_stopping = True
        for connection in list(self.connections):
            connection.leave()
        if self.connections:
            try:
                await asyncio.wait_for(self._empty.wait(), GRACE)
            except TimeoutError:
                for connection in list(self.connections):
                    connection.drop()
        self.rounds.close()


def serve(database: Database, service: Service, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is told the port."""
    run_loop(_serve(database, service, host, port, ready))


async def _serve(
    database: Database, service: Service, host: str, port: int, ready: Callable[[int], None]
) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    server = Server(database, service)
    listener = await loop.create_server(lambda: Connection(server), host, port, backlog=512)
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stopping.set)
    watch = loop.create_task(server.watch())
    bound = listener.sockets[0].getsockname()[1]
    database.serve_at(f"{host}:{bound}")
    ready(bound)
    await stopping.wait()
    listener.close()
    watch.cancel()
    await server.stop()
