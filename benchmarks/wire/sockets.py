"""Load from one Python thread on plain sockets: on two cores it competes with the server it drives."""

import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice

Address = tuple[str, int]
TIMEOUT_SECONDS = 30.0


class _Connection:
    """One connection with one open request; reconnects when the server closes it."""

    __slots__ = ("_address", "_is_over", "_parts", "_requests", "_selector", "_socket")

    def __init__(self, address: Address, requests: Iterator[bytes], selector: selectors.BaseSelector) -> None:
        self._address = address
        self._requests = requests
        self._selector = selector
        self._parts = b""
        self._connect()

    def _connect(self) -> None:
        self._socket = socket.create_connection(self._address, timeout=TIMEOUT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(self._socket, selectors.EVENT_READ, self)
        self._is_over = False

    def close(self) -> None:
        self._selector.unregister(self._socket)
        self._socket.close()

    def send(self) -> None:
        if self._is_over:
            self.close()
            self._connect()
        self._socket.sendall(next(self._requests))

    def receive(self) -> bytes | None:
        """The status of the reply, or None while it is incomplete."""
        data = self._socket.recv(1 << 20)
        if not data:
            raise ConnectionError("the server closed a connection within a reply")
        if self._parts:
            data = self._parts + data
        end = data.find(b"\r\n\r\n")
        head = data[:end].lower()
        if end < 0 or not _is_whole(head, data, end + 4):
            self._parts = data
            return None
        self._parts = b""
        self._is_over = b"\r\nconnection: close" in head
        return data[9:12]


def _is_whole(head: bytes, data: bytes, start: int) -> bool:
    place = head.find(b"\r\ncontent-length:")
    if place < 0:
        return data.endswith(b"0\r\n\r\n")
    return len(data) >= start + int(head[place + 17 :].partition(b"\r\n")[0])


def drive(
    address: Address, requests: Sequence[bytes], connections: int, seconds: float
) -> tuple[int, float, int]:
    """The number of replies, the seconds, and the number of replies with another status than 200."""
    replies = failed = 0
    with selectors.DefaultSelector() as selector:
        shares = (
            islice(cycle(requests), number * len(requests) // connections, None)
            for number in range(connections)
        )
        open_connections = [_Connection(address, share, selector) for share in shares]
        for each in open_connections:
            each.send()
        start = now = time.perf_counter()
        while now < start + seconds:
            ready = selector.select(TIMEOUT_SECONDS)
            if not ready:
                raise TimeoutError(f"no reply from {address}")
            for key, _ in ready:
                connection: _Connection = key.data
                status = connection.receive()
                if status is not None:
                    now = time.perf_counter()
                    replies += 1
                    failed += status != b"200"
                    connection.send()
        for each in open_connections:
            each.close()
    return replies, now - start, failed
