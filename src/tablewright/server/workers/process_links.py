"""Links: messages between the writer and a reader, over a pair of sockets that no other process has.

A message is a number, which pairs a reply with its request, and a tuple of plain values. The values are marshalled:
both ends are the same Python, and unlike pickled values they cannot run code.
"""

import asyncio
import marshal
from collections.abc import Callable
from struct import Struct
from typing import Any

Content = tuple[Any, ...]
OnMessage = Callable[[int, Content], None]

_HEAD = Struct("<QQ")


class Link(asyncio.Protocol):
    """One end of a link. The messages of one turn of the event loop are sent together."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        on_message: OnMessage,
        on_closed: Callable[[], None] = lambda: None,
    ) -> None:
        self._loop = loop
        self._on_message = on_message
        self._on_closed = on_closed
        self._transport: asyncio.Transport | None = None
        self._arrived = bytearray()
        self._pending: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called when the link is open."""
        self._transport = transport  # type: ignore[assignment]
        self._send_pending()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called when the other process has ended."""
        self._transport = None
        self._on_closed()

    def send(self, number: int, content: Content) -> None:
        """Send a message, at the end of this turn of the event loop."""
        if not self._pending:
            self._loop.call_soon(self._send_pending)
        body = marshal.dumps(content)
        self._pending.append(_HEAD.pack(len(body), number))
        self._pending.append(body)

    def close(self) -> None:
        """Close the link after what was sent."""
        if self._transport is not None:
            self._send_pending()
            self._transport.close()

    def _send_pending(self) -> None:
        if self._transport is not None and self._pending:
            pending, self._pending = self._pending, []
            self._transport.write(b"".join(pending))

    def data_received(self, data: bytes) -> None:
        """Called when bytes have arrived."""
        self._arrived += data
        begin = 0
        while len(self._arrived) >= begin + _HEAD.size:
            size, number = _HEAD.unpack_from(self._arrived, begin)
            end = begin + _HEAD.size + size
            if len(self._arrived) < end:
                break
            with memoryview(self._arrived) as arrived:
                content = marshal.loads(arrived[begin + _HEAD.size : end])
            begin = end
            self._on_message(number, content)
        del self._arrived[:begin]
