"""Body budget: large bodies are admitted while there is memory for them; the others wait, and are not read.

A body counts with its whole length from its first bytes until its reply, so that every admitted body can arrive
completely. Small bodies are not counted: the number of connections limits them.
"""

from collections import deque
from typing import Protocol

# Of all clients together: 32 bodies of the largest size.
MAX_BODY_BYTES = 512 * 1024 * 1024
SMALL_BODY = 64 * 1024


class Uploader(Protocol):
    """A client that sends a large body."""

    def admit(self) -> None:
        """Called when there is memory for the body."""


class BodyBudget:
    """The memory for bodies, shared by all clients; who has to wait is admitted in the order of arrival."""

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
            self._waiting = deque(each for each in self._waiting if each[0] is not client)
        else:
            self._free += size
        while self._waiting and self._waiting[0][1] <= self._free:
            waiting, size = self._waiting.popleft()
            self._grant(waiting, size)
            waiting.admit()

    def _grant(self, client: Uploader, size: int) -> None:
        self._free -= size
        self._admitted[client] = size
