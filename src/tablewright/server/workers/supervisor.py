"""The supervisor: the writer's side of the workers. It starts readers, replaces those that end, and gives them clients.

Clients are accepted here and passed on in turn, so that all readers have the same number, also after one was replaced.
"""

import asyncio
import contextlib
import logging
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from os import environ, pathsep
from typing import Any

from tablewright.engine.core.state.shared_counter import SharedCounter
from tablewright.server.batching import Batcher
from tablewright.server.listener import BACKLOG, MAX_CONNECTIONS, Served, Server, run_loop
from tablewright.server.workers.process_links import Content, ProcessLink, ReaderSettings, enqueue
from tablewright.server.workers.reader_process import READY, Descriptors

_log = logging.getLogger("tablewright.server")

# Seconds before a reader that ended is replaced; doubled while readers end without having started.
FIRST_DELAY = 0.05
LONGEST_DELAY = 5.0
# Seconds for readers to finish their requests once the server stops; each of them allows its clients ten.
STOP_TIMEOUT = 12.0
START_TIMEOUT = 30.0


class ReaderProcess:
    """One reader process."""

    def __init__(self, process: "subprocess.Popen[bytes]", clients: socket.socket) -> None:
        self.process = process
        self.links: list[ProcessLink] = []
        self.ready = asyncio.Event()
        self._clients = clients

    def give(self, connected: socket.socket) -> bool:
        """Pass a connection on; return False if the reader cannot take it."""
        try:
            socket.send_fds(self._clients, [b"c"], [connected.fileno()])
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Release what the writer has of the reader."""
        self._clients.close()
        for link in self.links:
            link.close()


class Supervisor:
    """Keeps a number of readers running."""

    def __init__(
        self, count: int, settings: ReaderSettings, batcher: Batcher, definitions: SharedCounter
    ) -> None:
        self._count = count
        self._settings = settings
        self._batcher = batcher
        self._definitions = definitions
        self._loop = asyncio.get_running_loop()
        self._readers: list[ReaderProcess] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopping = False
        self._delay = FIRST_DELAY
        self._changed = asyncio.Event()

    async def start(self) -> None:
        """Start all readers, and wait until they can serve."""
        for _ in range(self._count):
            await self._start_reader()
        for reader in list(self._readers):
            await asyncio.wait_for(reader.ready.wait(), START_TIMEOUT)

    async def accept(self, listening: socket.socket) -> None:
        """Accept clients, and pass each to the next reader, until cancelled."""
        turn = 0
        while True:
            try:
                connected, _ = await self._loop.sock_accept(listening)
            except OSError as error:
                # Too many open files, or a client that left: others may still be accepted.
                _log.warning("a client was not accepted: %s", error.strerror)
                await asyncio.sleep(FIRST_DELAY)
                continue
            with connected:
                while not self._readers and not self._is_stopping:
                    await self._changed.wait()
                for _ in range(len(self._readers)):
                    turn += 1
                    if self._readers[turn % len(self._readers)].give(connected):
                        break

    async def stop(self) -> None:
        """Let the readers finish their requests; kill those that do not end."""
        self._is_stopping = True
        readers = list(self._readers)
        for reader in readers:
            reader.process.terminate()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_TIMEOUT):
                while self._readers:
                    self._changed.clear()
                    await self._changed.wait()
                for reader in readers:
                    await _ended(self._loop, reader.process.wait)
        for reader in readers:
            if reader.process.poll() is None:
                reader.process.kill()
                reader.process.wait()
        for task in self._tasks:
            task.cancel()

    async def _start_reader(self) -> None:
        pairs = [socket.socketpair() for _ in range(3)]
        link, link_of_large, clients = (theirs.fileno() for _, theirs in pairs)
        descriptors = Descriptors(link, link_of_large, clients, self._definitions.descriptor)
        process = subprocess.Popen(
            [sys.executable, "-m", "tablewright.server.workers.reader_process", *map(str, descriptors.all)],
            stdin=subprocess.PIPE,
            pass_fds=descriptors.all,
            env={**environ, "PYTHONPATH": pathsep.join(filter(None, sys.path))},
        )
        for _, theirs in pairs:
            theirs.close()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin:
            pickle.dump(self._settings, process.stdin)
        (ours, _), (ours_of_large, _), (given_clients, _) = pairs
        given_clients.setblocking(False)
        reader = ReaderProcess(process, given_clients)
        self._readers.append(reader)
        self._changed.set()
        for link_socket in (ours, ours_of_large):
            reader.links.append(await self._open_link(link_socket, reader))

    async def _open_link(self, sock: socket.socket, reader: ReaderProcess) -> ProcessLink:
        def receive(number: int, content: Content) -> None:
            if number == READY:
                self._delay = FIRST_DELAY
                reader.ready.set()
            else:
                enqueue(self._batcher, link, number, content)

        link = ProcessLink(self._loop, receive, lambda: self._lose(reader))
        await self._loop.create_unix_connection(lambda: link, sock=sock)
        return link

    def _lose(self, reader: ReaderProcess) -> None:
        """A reader has ended, or is about to: replace it."""
        if reader not in self._readers:
            return
        self._readers.remove(reader)
        self._changed.set()
        reader.close()
        self._run(self._replace(reader))

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _replace(self, reader: ReaderProcess) -> None:
        await _ended(self._loop, reader.process.wait)
        if self._is_stopping:
            return
        _log.warning("a reader ended with status %d and is replaced", reader.process.returncode)
        await asyncio.sleep(self._delay)
        if not reader.ready.is_set():
            self._delay = min(self._delay * 2, LONGEST_DELAY)
        if not self._is_stopping:
            await self._start_reader()


async def _ended(loop: asyncio.AbstractEventLoop, wait: Callable[[], int]) -> None:
    """Wait for the end of a process, outside of the event loop."""
    await loop.run_in_executor(None, wait)


def serve_with_workers(served: Served, count: int, settings: ReaderSettings) -> None:
    """Serve until the stop event of `served`, with `count` readers; together they have the connections of one."""
    run_loop(_serve(served, count, replace(settings, max_connections=max(MAX_CONNECTIONS // count, 1))))


async def _serve(served: Served, count: int, settings: ReaderSettings) -> None:
    loop = asyncio.get_running_loop()
    regions, close = served.open_regions()
    server = Server(Batcher(regions, served.service, loop), close)
    definitions = SharedCounter.create()
    served.database.publish_definitions(definitions)
    with _listening(served.host, served.port) as listening:
        stopping = served.stop_event(loop)
        bound = listening.getsockname()[1]
        regions.serve_at(f"{served.host}:{bound}")
        supervisor = Supervisor(count, settings, server.batcher, definitions)
        try:
            await supervisor.start()
            accepting = loop.create_task(supervisor.accept(listening))
            served.on_ready(bound)
            await stopping.wait()
            accepting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await accepting
            listening.close()
        finally:
            await supervisor.stop()
            await server.stop()


def _listening(host: str, port: int) -> socket.socket:
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, address = addresses[0]
    listening = socket.create_server(address, family=family, backlog=BACKLOG)
    listening.setblocking(False)
    return listening
