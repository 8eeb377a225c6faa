"""Load: so many connections, each sending its next request as soon as the last is answered.

One thread on plain sockets: it can ask some 50,000 times a second, several times more than any contestant answers.
"""

import selectors
import socket
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

Address = tuple[str, int]
PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Load:
    """What came of it."""

    rate: float
    """Requests a second."""
    median: float
    """Milliseconds."""
    failed: int
    """How many answers were not a success."""


class _Line:
    """One connection, with one request under way."""

    __slots__ = ("_parts", "requests", "sent", "socket")

    def __init__(self, address: Address, requests: Iterator[bytes]) -> None:
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests = requests
        self.sent = 0.0
        self._parts = b""

    def ask(self) -> None:
        self.sent = time.perf_counter()
        self.socket.sendall(next(self.requests))

    def hear(self) -> bytes | None:
        """The status of the reply, once it is whole."""
        data = self.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("closed by the server")
        if self._parts:
            data = self._parts + data
        if not is_whole(data):
            self._parts = data
            return None
        self._parts = b""
        return data[9:12]


def is_whole(data: bytes) -> bool:
    """Whether a reply has come to its end."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = data[:end].lower()
    place = head.find(b"\r\ncontent-length:")
    if place < 0:
        return data.endswith(b"0\r\n\r\n")
    length = head[place + 17 :].partition(b"\r\n")[0]
    return len(data) >= end + 4 + int(length)


def drive(address: Address, requests: Sequence[bytes], connections: int, seconds: float) -> Load:
    """Load the server for that long."""
    selector = selectors.DefaultSelector()
    lines = []
    for number in range(connections):
        share = islice(cycle(requests), number * len(requests) // connections, None)
        line = _Line(address, share)
        lines.append(line)
        selector.register(line.socket, selectors.EVENT_READ, line)
    for line in lines:
        line.ask()
    times: list[float] = []
    failed = 0
    start = time.perf_counter()
    stop = start + seconds
    now = start
    while now < stop:
        ready = selector.select(PATIENCE)
        if not ready:
            raise TimeoutError(f"no reply from {address}")
        for key, _ in ready:
            heard: _Line = key.data
            status = heard.hear()
            if status is None:
                continue
            now = time.perf_counter()
            times.append(now - heard.sent)
            failed += status != b"200"
            heard.ask()
    selector.close()
    for line in lines:
        line.socket.close()
    return Load(len(times) / (now - start), statistics.median(times) * 1000, failed)
