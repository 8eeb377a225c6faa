"""Forwarding: requests that a reader cannot run are run by the writer, which replies through the same reader.

A request is forwarded as it arrived. The writer makes all checks, so it replies as a server without workers does.
Large requests have a link of their own: a body of 16 MB does not delay the others.
"""

from collections.abc import Iterator
from itertools import count

from tablewright.server.batching import Batcher
from tablewright.server.http_replies import Reply
from tablewright.server.http_requests import Request
from tablewright.server.pending_client import PendingClient
from tablewright.server.workers.process_links import Content, Link

# Bytes of a body.
LARGE_REQUEST = 64 * 1024


class Forwarder:
    """In a reader: sends requests to the writer, and gives each client its reply."""

    def __init__(self) -> None:
        self.link: Link
        self.link_of_large: Link
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

    def __init__(self, link: Link, number: int, request: Request) -> None:
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


def enqueue(batcher: Batcher, link: Link, number: int, content: Content) -> None:
    """Run a request of a reader in the next batch of the writer."""
    batcher.enqueue(ForwardedRequest(link, number, Request(*content)))
