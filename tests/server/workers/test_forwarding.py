"""Forwarding: each client gets the reply to its own request."""

import asyncio
from collections.abc import Callable

from tablewright.server.http_replies import Reply
from tablewright.server.http_requests import Request
from tablewright.server.workers.forwarding import LARGE_REQUEST, ForwardedRequest, Forwarder
from tablewright.server.workers.process_links import Content, Link


class RecordedLink(Link):
    """Keeps what is sent."""

    def __init__(self) -> None:
        loop = asyncio.new_event_loop()
        loop.close()  # it is not used
        super().__init__(loop, lambda number, content: None)
        self.sent: list[tuple[int, Content]] = []

    def send(self, number: int, content: Content) -> None:
        self.sent.append((number, content))


class WaitingClient:
    """Keeps its replies."""

    def __init__(self) -> None:
        self.operation = "-"
        self.deferred_bytes = 0
        self.replies: list[Reply] = []
        self.take: Callable[[], Request | None] = lambda: None

    def send_reply(self, reply: Reply) -> None:
        self.replies.append(reply)


def request(body: bytes) -> Request:
    return Request(b"POST", b"/", {b"host": b"h"}, body, address="10.0.0.9")


def test_replies_reach_the_clients_in_any_order() -> None:
    forwarder = Forwarder()
    forwarder.link, forwarder.link_of_large = RecordedLink(), RecordedLink()
    clients = [WaitingClient() for _ in range(3)]
    for number, client in enumerate(clients):
        forwarder.forward(client, request(b"%d" % number))
    numbers = [number for number, _ in forwarder.link.sent]
    for number, body in reversed(list(zip(numbers, (b"a", b"b", b"c"), strict=True))):
        forwarder.receive(number, tuple(Reply(200, body)))
    assert [client.replies for client in clients] == [[Reply(200, body)] for body in (b"a", b"b", b"c")]


def test_a_large_request_has_a_link_of_its_own() -> None:
    forwarder = Forwarder()
    forwarder.link, forwarder.link_of_large = RecordedLink(), RecordedLink()
    forwarder.forward(WaitingClient(), request(b"x" * LARGE_REQUEST))
    forwarder.forward(WaitingClient(), request(b"x" * (LARGE_REQUEST + 1)))
    assert [len(link.sent) for link in (forwarder.link, forwarder.link_of_large)] == [1, 1]


def test_a_forwarded_request_is_as_it_arrived() -> None:
    forwarder = Forwarder()
    link = forwarder.link = RecordedLink()
    arrived = request(b"{}")
    arrived.firsts = {b"host": b"first"}
    forwarder.forward(WaitingClient(), arrived)
    ((number, content),) = link.sent
    forwarded = ForwardedRequest(link, number, Request(*content))
    assert forwarded.take() == arrived
    assert forwarded.take() is None
    forwarded.send_reply(Reply(400, b"no", b"text/plain", b"x: y\r\n"))
    assert link.sent[-1] == (number, (400, b"no", b"text/plain", b"x: y\r\n"))
