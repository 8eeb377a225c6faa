"""Links: what the writer and a reader exchange, over a pair of sockets that no other process has.

A message is a number, which pairs a reply with its request, and a tuple of plain values. The values are marshalled:
both ends are the same Python, and unlike pickled values they cannot run code.

Requests that a reader cannot run are forwarded to the writer as they arrived, which replies through the same reader.
The writer makes all checks, so it replies as a server without workers does. Large requests have a link of their own: a
body of 16 MB does not delay the others.
"""

import asyncio
import marshal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from struct import Struct
from typing import Any

from tablewright.server.batching import Batcher
from tablewright.server.http_messages import Reply, Request
from tablewright.server.large_requests import PendingClient
from tablewright.server.listener import MAX_CONNECTIONS
from tablewright.server.service import ServiceSettings


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """What a reader process is started with, beside its sockets."""

    path: Path
    service: ServiceSettings
    max_connections: int = MAX_CONNECTIONS
    verbose: bool = False


Content = tuple[Any, ...]
OnMessage = Callable[[int, Content], None]

_HEAD = Struct("<QQ")


class ProcessLink(asyncio.Protocol):
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


# Bytes of a body.
LARGE_REQUEST = 64 * 1024


class Forwarder:
    """In a reader: sends requests to the writer, and gives each client its reply."""

    def __init__(self) -> None:
        self.link: ProcessLink
        self.link_of_large: ProcessLink
        self._numbers: Iterator[int] = count(1)
        self._waiting: dict[int, PendingClient] = {}

    def forward(self, client: PendingClient, request: Request) -> None:
        """Let the writer run a request."""
        link = self.link_of_large if request.size > LARGE_REQUEST else self.link
        request.load_body()
        number = next(self._numbers)
        self._waiting[number] = client
        link.send(number, _content(request))

    def receive(self, number: int, content: Content) -> None:
        """Pass the writer's reply to its client."""
        self._waiting.pop(number).send_reply(Reply(*content))


def _content(request: Request) -> Content:
    return (
        request.method,
        request.target,
        request.headers,
        request.body,
        request.keep_alive,
        request.firsts,
        None,
        request.address,
    )


class ForwardedRequest:
    """In the writer: a request of a reader's client, as the batcher sees it."""

    __slots__ = ("_link", "_number", "_request", "deferred_bytes", "operation")

    def __init__(self, link: ProcessLink, number: int, request: Request) -> None:
        self._link = link
        self._number = number
        self._request: Request | None = request
        self.operation = "-"
        self.deferred_bytes = 0

    def take(self) -> Request | None:
        """The request."""
        request, self._request = self._request, None
        return request

    def send_reply(self, reply: Reply) -> None:
        """Send the reply to the reader."""
        self._link.send(self._number, tuple(reply))


def enqueue(batcher: Batcher, link: ProcessLink, number: int, content: Content) -> None:
    """Run a request of a reader in the next batch of the writer."""
    batcher.enqueue(ForwardedRequest(link, number, Request(*content)))
