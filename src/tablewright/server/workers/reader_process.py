"""The process of a reader: `python -m tablewright.server.workers.reader_process`, started by the supervisor.

It gets its settings on standard input, and the descriptors of its sockets as arguments. It ends when the writer ends.
"""

import asyncio
import contextlib
import os
import pickle
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tablewright.engine.core.state.shared_counter import SharedCounter
from tablewright.engine.database import Database
from tablewright.engine.reader_database import READS, ReaderDatabase
from tablewright.server.batching import Batcher
from tablewright.server.client_connection import ClientConnection
from tablewright.server.http_messages import Reply, Request
from tablewright.server.large_requests import PendingClient
from tablewright.server.listener import Server, run_loop, stop_signal
from tablewright.server.request_log import log_to_stderr
from tablewright.server.service import Service, target_of
from tablewright.server.workers.process_links import LARGE_REQUEST, Forwarder, ProcessLink, ReaderSettings


class _OneRegion:
    """The database of a reader; other regions are the writer's."""

    def __init__(self, database: ReaderDatabase) -> None:
        self._database = database

    def database(self, region: str | None, *, may_write: bool) -> Database:
        """The database."""
        return self._database

    def flush(self) -> None:
        """Do nothing: nothing is staged."""


class ReaderBatcher(Batcher):
    """Serves the clients of a reader."""

    def __init__(
        self,
        database: ReaderDatabase,
        service: Service,
        forwarder: Forwarder,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(_OneRegion(database), service, loop)
        self._reader = database
        self._forwarder = forwarder

    def _run(self, client: PendingClient, request: Request) -> Reply | None:
        target = target_of(request.headers.get(b"x-amz-target", b""))
        if target is None or not self._runs_here(target.operation, request):
            client.operation = target.operation if target else "-"
            self._forwarder.forward(client, request)
            return None
        return super()._run(client, request)

    def _runs_here(self, operation: str, request: Request) -> bool:
        """Whether a request needs nothing but committed items of the default region."""
        region = self._service.region_of(request)
        return (
            operation in READS
            and request.size <= LARGE_REQUEST
            and (region is None or region == self._reader.region)
            and not self._reader.counts_accesses
        )


READY = 0
"""The number of the message that a reader sends first; requests have numbers from 1 on."""
_MAX_DESCRIPTORS = 16


@dataclass(frozen=True, slots=True)
class Descriptors:
    """What a reader shares with the writer, as numbers of open files."""

    link: int
    link_of_large: int
    clients: int
    definitions: int

    @property
    def all(self) -> tuple[int, ...]:
        """All of them, in the order of the command line."""
        return (self.link, self.link_of_large, self.clients, self.definitions)


async def _serve(settings: ReaderSettings, descriptors: Descriptors) -> None:
    loop = asyncio.get_running_loop()
    stopping, orphaned = stop_signal(loop), asyncio.Event()

    def lose_writer() -> None:
        orphaned.set()
        stopping.set()

    definitions = SharedCounter(descriptors.definitions)
    database = ReaderDatabase(settings.path, settings.service.region, definitions)
    forwarder = Forwarder()
    batcher = ReaderBatcher(database, settings.service.service(), forwarder, loop)
    server = Server(batcher, database.close, settings.max_connections)
    forwarder.link = await _open_link(loop, descriptors.link, forwarder, lose_writer)
    forwarder.link_of_large = await _open_link(loop, descriptors.link_of_large, forwarder, lose_writer)
    clients = socket.socket(fileno=descriptors.clients)
    clients.setblocking(False)
    accepting: set[asyncio.Task[object]] = set()

    def accept() -> None:
        for connected in _received(clients):
            task = loop.create_task(_connect(loop, server, connected))
            accepting.add(task)
            task.add_done_callback(accepting.discard)

    loop.add_reader(clients.fileno(), accept)
    limits = loop.create_task(server.enforce_limits())
    forwarder.link.send(READY, ())
    await stopping.wait()
    loop.remove_reader(clients.fileno())
    limits.cancel()
    if orphaned.is_set():
        # No process writes any more: clients that wait for a reply must not take it for a success.
        os._exit(1)
    await server.stop()
    forwarder.link.close()
    forwarder.link_of_large.close()


async def _open_link(
    loop: asyncio.AbstractEventLoop, descriptor: int, forwarder: Forwarder, on_closed: Callable[[], None]
) -> ProcessLink:
    link = ProcessLink(loop, forwarder.receive, on_closed)
    await loop.create_unix_connection(lambda: link, sock=socket.socket(fileno=descriptor))
    return link


def _received(clients: socket.socket) -> list[socket.socket]:
    """The connections that the writer has passed on."""
    received: list[socket.socket] = []
    with contextlib.suppress(BlockingIOError):
        while True:
            marks, descriptors, _, _ = socket.recv_fds(clients, _MAX_DESCRIPTORS, _MAX_DESCRIPTORS)
            received.extend(socket.socket(fileno=descriptor) for descriptor in descriptors)
            if not marks:
                break
    return received


async def _connect(loop: asyncio.AbstractEventLoop, server: Server, connected: socket.socket) -> None:
    connected.setblocking(False)
    with contextlib.suppress(OSError):  # the client has left
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await loop.connect_accepted_socket(lambda: ClientConnection(server), connected)


def main() -> None:
    """Serve the clients that the writer passes on, until the writer says stop or ends."""
    descriptors = Descriptors(*map(int, sys.argv[1:]))
    settings: ReaderSettings = pickle.load(sys.stdin.buffer)
    log_to_stderr(verbose=settings.verbose)
    run_loop(_serve(settings, descriptors))


if __name__ == "__main__":
    main()
