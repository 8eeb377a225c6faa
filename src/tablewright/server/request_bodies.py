"""Bodies of requests while they arrive: where their bytes are kept, how many fit into memory, and in which turns."""

import asyncio
from collections import deque
from mmap import mmap
from typing import Protocol


class BodyBuffer:
    """Collects a body piece by piece.

    A large body is kept in memory that the operating system gives and takes back page by page. The heap of the process
    would grow by half more for bodies that arrive side by side, and would not shrink when they are aborted.

    >>> body = BodyBuffer()
    >>> body.append(b"{")
    >>> body.reserve(2)
    >>> body.append(b"}")
    >>> len(body), body.take(), len(body)
    (2, b'{}', 0)
    """

    __slots__ = ("_pages", "_size", "_small")

    def __init__(self) -> None:
        self._small = bytearray()
        self._pages: mmap | None = None
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, piece: bytes) -> None:
        """Add bytes at the end."""
        self._size += len(piece)
        if self._pages is None:
            self._small += piece
        else:
            self._pages.write(piece)

    def reserve(self, size: int) -> None:
        """Use pages of their own for a body of at most that size."""
        self._pages = mmap(-1, size)
        self._pages.write(self._small)
        self._small = bytearray()

    def take(self) -> bytes:
        """The whole body; the buffer is empty afterwards."""
        body = bytes(self._small) if self._pages is None else self._pages[: self._size]
        self.clear()
        return body

    def clear(self) -> None:
        """Free the memory at once."""
        if self._pages is not None:
            self._pages.close()
            self._pages = None
        self._small = bytearray()
        self._size = 0


# Of all clients together: 32 bodies of the largest size.
MAX_BODY_BYTES = 512 * 1024 * 1024
SMALL_BODY = 64 * 1024


class Uploader(Protocol):
    """A client that sends a large body."""

    def admit(self) -> None:
        """Called when there is memory for the body."""


class BodyBudget:
    """The memory for bodies, shared by all clients; who has to wait is admitted in the order of arrival.

    A body counts with its whole length from its first bytes until its reply, so that every admitted body can arrive
    completely. Small bodies are not counted: the number of connections limits them.
    """

    def __init__(self, limit: int = MAX_BODY_BYTES) -> None:
        self._free = limit
        self._admitted: dict[Uploader, int] = {}
        self._waiting: deque[tuple[Uploader, int]] = deque()

    @property
    def is_exhausted(self) -> bool:
        """Whether a client waits for memory."""
        return bool(self._waiting)

    def request(self, client: Uploader, size: int) -> bool:
        """Whether a body of that size may be read now; otherwise `client.admit()` is called later."""
        if self._waiting or size > self._free:
            self._waiting.append((client, size))
            return False
        self._grant(client, size)
        return True

    def release(self, client: Uploader) -> None:
        """The client's body was served, or the client is gone."""
        size = self._admitted.pop(client, None)
        if size is None:
            self._waiting = deque(entry for entry in self._waiting if entry[0] is not client)
        else:
            self._free += size
        while self._waiting and self._waiting[0][1] <= self._free:
            waiting, size = self._waiting.popleft()
            self._grant(waiting, size)
            waiting.admit()

    def _grant(self, client: Uploader, size: int) -> None:
        self._free -= size
        self._admitted[client] = size


# At most a megabyte in one turn of the loop: a socket is read in pieces of 256 KB.
TURNS = 4


class ReadingClient(Protocol):
    """A client whose body is read piece by piece."""

    def read_on(self) -> None:
        """Read the next piece."""


class ReadTurns:
    """The clients whose next piece is to be read, a few in each turn of the event loop, in order.

    libuv accepts one connection in each turn of the loop. If each turn read all uploads, a new client would wait for as
    many turns as there are clients before it, and each would take long.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[ReadingClient] = deque()

    def request(self, client: ReadingClient) -> None:
        """Read the next piece of this client when it is its turn."""
        if not self._waiting:
            self._loop.call_soon(self._next)
        self._waiting.append(client)

    def _next(self) -> None:
        for _ in range(min(TURNS, len(self._waiting))):
            self._waiting.popleft().read_on()
        if self._waiting:
            self._loop.call_soon(self._next)
