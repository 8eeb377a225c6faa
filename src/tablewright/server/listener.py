"""Listener: starts the server on a port, enforces deadlines and limits, and stops it on a signal."""

import asyncio
import logging
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.engine.database import Database
from tablewright.engine.features.replicas.replica_progress import Peer
from tablewright.engine.regions import Regions
from tablewright.server.batching import Batcher
from tablewright.server.client_connection import ClientConnection
from tablewright.server.request_bodies import BodyBudget, ReadTurns
from tablewright.server.request_log import access
from tablewright.server.service import Service


def run_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a new event loop: uvloop's where it is installed, and asyncio's own elsewhere."""
    try:
        from uvloop import run
    except ImportError:  # the extra `server` is not installed, or this is Windows
        asyncio.run(main)
    else:
        run(main)


# Open files are limited, often to 1,024. A further client takes the place of another, of the address with the most
# connections: of the client idle for longest, or of the oldest request that is still arriving. Only if all requests are
# being served, the new connection is closed at once.
MAX_CONNECTIONS = 900
BACKLOG = 512
# Seconds for open requests to finish once the server stops.
STOP_TIMEOUT = 10.0
_CHECK_INTERVAL = 1.0


class Server:
    """The open connections, and what they share."""

    def __init__(
        self, batcher: Batcher, close: Callable[[], None], max_connections: int = MAX_CONNECTIONS
    ) -> None:
        """`close` closes the databases, after the last reply."""
        self.batcher = batcher
        self._close_databases = close
        self._max_connections = max_connections
        self.bodies = BodyBudget()
        self.turns = ReadTurns(asyncio.get_running_loop())
        self.logs_requests = access.isEnabledFor(logging.INFO)
        self.is_stopping = False
        self.time: Callable[[], float] = time.monotonic
        self.connections: set[ClientConnection] = set()
        self._all_closed = asyncio.Event()

    def opened(self, connection: ClientConnection) -> None:
        """Add a connection, or drop it if there are too many."""
        if self.is_stopping or not self._make_room():
            connection.drop()
        else:
            self.connections.add(connection)

    def closed(self, connection: ClientConnection) -> None:
        """Remove a connection, with its deferred request."""
        self.connections.discard(connection)
        if connection.deferred_bytes:
            self.batcher.discard(connection)
        if self.is_stopping and not self.connections:
            self._all_closed.set()

    def _make_room(self) -> bool:
        """Whether one more client can be served, if necessary in place of another."""
        if len(self.connections) < self._max_connections:
            return True
        counts = Counter(connection.address for connection in self.connections)
        replaceable = [
            connection for connection in self.connections if not connection.is_busy or connection.is_arriving
        ]
        if not replaceable:
            return False
        # The most connections of one address first; of these the longest idle, then the oldest incomplete request.
        replaced = min(
            replaceable,
            key=lambda connection: (
                -counts[connection.address],
                connection.is_arriving,
                connection.arriving_since,
                connection.deadline,
            ),
        )
        replaced.drop()
        self.connections.discard(replaced)
        return True

    async def enforce_limits(self) -> None:
        """Drop late and slow clients, every second."""
        while True:
            await asyncio.sleep(_CHECK_INTERVAL)
            self.drop_late()

    def drop_late(self) -> None:
        """Drop the clients past their deadlines; and slow uploads, while others wait for their memory."""
        now = self.time()
        is_short = self.bodies.is_exhausted
        late = [
            client
            for client in self.connections
            if client.deadline < now or (is_short and client.is_slow(now))
        ]
        for connection in late:
            connection.drop()

    async def stop(self) -> None:
        """Let open requests finish, up to `STOP_TIMEOUT`; then close all connections."""
        self.is_stopping = True
        for connection in list(self.connections):
            connection.finish()
        if self.connections:
            try:
                await asyncio.wait_for(self._all_closed.wait(), STOP_TIMEOUT)
            except TimeoutError:
                for connection in list(self.connections):
                    connection.drop()
        self.batcher.close()
        self._close_databases()


def stop_signal(loop: asyncio.AbstractEventLoop) -> asyncio.Event:
    """An event that SIGINT and SIGTERM set."""
    stopping = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stopping.set)
    return stopping


@dataclass(frozen=True, slots=True)
class Served:
    """What a server serves: a database, who may call it, where, and the regions that other servers have."""

    database: Database
    service: Service
    host: str
    port: int
    on_ready: Callable[[int], None]
    """Called with the port when clients can connect."""
    remotes: Mapping[str, Peer] | None = None
    shared: Regions | None = None
    """The databases of all regions, if others use them too: they stay open when the server stops."""
    stop_event: Callable[[asyncio.AbstractEventLoop], asyncio.Event] = stop_signal
    """Returns the event that stops the server."""

    def open_regions(self) -> tuple[Regions, Callable[[], None]]:
        """Return the databases of all regions, and what closes them when the server has stopped."""
        if self.shared is not None:
            return self.shared, lambda: None
        regions = Regions(self.database, self.remotes, serves_one=self.service.serves_one_region)
        return regions, regions.close


def serve(
    database: Database,
    service: Service,
    host: str,
    port: int,
    on_ready: Callable[[int], None],
    remotes: Mapping[str, Peer] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` is called with the port, `remotes` are regions of other servers."""
    serve_one(Served(database, service, host, port, on_ready, remotes))


def serve_one(served: Served) -> None:
    """Serve until the stop event of `served`, in this process."""
    run_loop(_serve(served))


async def _serve(served: Served) -> None:
    loop = asyncio.get_running_loop()
    regions, close = served.open_regions()
    server = Server(Batcher(regions, served.service, loop), close)
    listener = await loop.create_server(
        lambda: ClientConnection(server), served.host, served.port, backlog=BACKLOG
    )
    stopping = served.stop_event(loop)
    limits = loop.create_task(server.enforce_limits())
    bound = listener.sockets[0].getsockname()[1]
    regions.serve_at(f"{served.host}:{bound}")
    served.on_ready(bound)
    await stopping.wait()
    listener.close()
    limits.cancel()
    await server.stop()
