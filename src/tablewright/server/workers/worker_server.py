"""A server with workers: this process writes, and readers serve the clients."""

import asyncio
import contextlib
import socket
from dataclasses import replace

from tablewright.engine.state.shared_counter import SharedCounter
from tablewright.server.batching import Batcher
from tablewright.server.event_loop import run_loop
from tablewright.server.listener import BACKLOG, MAX_CONNECTIONS, Served, Server, stop_signal
from tablewright.server.workers.reader_settings import ReaderSettings
from tablewright.server.workers.supervisor import Supervisor


def serve_with_workers(served: Served, count: int, settings: ReaderSettings) -> None:
    """Serve until SIGINT or SIGTERM, with `count` readers; all together have as many connections as one server."""
    run_loop(_serve(served, count, replace(settings, max_connections=max(MAX_CONNECTIONS // count, 1))))


async def _serve(served: Served, count: int, settings: ReaderSettings) -> None:
    loop = asyncio.get_running_loop()
    regions = served.regions()
    server = Server(Batcher(regions, served.service, loop), regions.close)
    definitions = SharedCounter.create()
    served.database.publish_definitions(definitions)
    with _listening(served.host, served.port) as listening:
        stopping = stop_signal(loop)
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
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, address = found[0]
    listening = socket.create_server(address, family=family, backlog=BACKLOG)
    listening.setblocking(False)
    return listening
