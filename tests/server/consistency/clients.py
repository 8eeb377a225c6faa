"""Concurrent clients of a server that is killed and started again, and the history of what they saw.

A workload sends requests through a `Send`. A request without a reply (`ReplyLost`) may or may not have had its effect.
"""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL
from types import TracebackType
from typing import Any, Self, TypeAlias

from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post

Reply: TypeAlias = tuple[int, dict[str, Any]]
Send: TypeAlias = Callable[[str, dict[str, Any]], Reply]

CLIENTS = 8
Progress: TypeAlias = Callable[[], int]
"""The number of requests so far."""


class ReplyLost(Exception):
    """The request may or may not have had its effect."""


class RestartedServer:
    """A server on a data file, which is killed (SIGKILL) and started again while clients use it."""

    def __init__(self, path: Path, planted: str = "", workers: int = 1) -> None:
        self._options = ("--on", str(path), "--workers", str(workers))
        self._planted = planted
        self._process = ServerProcess(*self._options, planted=planted)
        self.kills = 0
        self.lost_replies: list[str] = []
        """The operations whose replies were lost."""

    def __enter__(self) -> Self:
        self._process.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """Kill the server and start another one on the same file."""
        self._process.signal(SIGKILL)
        self._process.wait()
        self.kills += 1
        following = ServerProcess(*self._options, planted=self._planted)
        following.__enter__()
        self._process = following

    def client(self) -> "Client":
        return Client(self)

    @property
    def address(self) -> tuple[str, int]:
        return self._process.address


class Client:
    """One client: a `Send` over one connection at a time."""

    def __init__(self, server: RestartedServer) -> None:
        self._server = server
        self._connection: RawConnection | None = None

    def __call__(self, operation: str, request: dict[str, Any]) -> Reply:
        connection = self._connection or self._connect()
        try:
            connection.send(post(operation, json.dumps(request).encode()))
            reply = connection.receive()
            if reply is not None and reply.status < 500:
                return reply.status, reply.json()
        except (OSError, LookupError, ValueError):  # the connection ended, perhaps half way through a reply
            pass
        self.close()
        self._server.lost_replies.append(operation)
        raise ReplyLost

    def _connect(self) -> RawConnection:
        while True:
            try:
                self._connection = RawConnection(self._server.address)
            except OSError:
                time.sleep(0.01)  # the next server is not there yet
            else:
                return self._connection

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def run_together(work: list[Callable[[], None]], beside: Callable[[], None] | None = None) -> None:
    """Run each piece of work in a thread, and `beside` in this one; raise the first error."""
    errors: list[BaseException] = []

    def run(piece: Callable[[], None]) -> None:
        try:
            piece()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(piece,)) for piece in work]
    for thread in threads:
        thread.start()
    if beside is not None:
        run(beside)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def kill_between(server: RestartedServer, kills: int, requests: int) -> Callable[[Progress], None]:
    """Kill a server that many times while that many requests are made, at even distances."""

    def beside(progress: Progress) -> None:
        for turn in range(1, kills + 1):
            while progress() < requests * turn // (kills + 1):
                time.sleep(0.005)
            server.kill()

    return beside
