"""Read turns: in each turn of the event loop, a few of the large bodies are read, one piece each.

libuv accepts one connection in each turn of the loop. If each turn read all uploads, a new client would wait for as
many turns as there are clients before it, and each would take long.
"""

import asyncio
from collections import deque
from typing import Protocol

# At most a megabyte in one turn of the loop: a socket is read in pieces of 256 KB.
TURNS = 4


class Reading(Protocol):
    """A client whose body is read piece by piece."""

    def read_on(self) -> None:
        """Read the next piece."""


class ReadTurns:
    """The clients whose next piece is to be read, in the order of their last pieces."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Reading] = deque()

    def request(self, client: Reading) -> None:
        """Read the next piece of this client when it is its turn."""
        if not self._waiting:
            self._loop.call_soon(self._next)
        self._waiting.append(client)

    def _next(self) -> None:
        for _ in range(min(TURNS, len(self._waiting))):
            self._waiting.popleft().read_on()
        if self._waiting:
            self._loop.call_soon(self._next)
