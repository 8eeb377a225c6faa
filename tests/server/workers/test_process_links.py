"""Links: messages of any size arrive whole and in order, whatever pieces the bytes arrive in."""

import asyncio
import pickle
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import uvloop

from tablewright.server.authentication.credentials import Credential
from tablewright.server.http_messages import Reply, Request
from tablewright.server.service import ServiceSettings
from tablewright.server.workers.process_links import (
    LARGE_REQUEST,
    Content,
    ForwardedRequest,
    Forwarder,
    ProcessLink,
    ReaderSettings,
)


class Sink(asyncio.Transport):
    """Collects what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data


def _append(found: list[tuple[int, Content]], number: int, content: Content) -> None:
    found.append((number, content))


def test_messages_are_found_in_any_pieces() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        sink = Sink()
        sender = ProcessLink(loop, lambda number, content: None)
        sender.connection_made(sink)
        messages: list[tuple[int, Content]] = [(1, (b"", None)), (2, ({b"a": b"b"}, "x" * 300)), (3, (7,))]
        for number, content in messages:
            sender.send(number, content)
        await asyncio.sleep(0)
        whole = bytes(sink.written)
        for step in (1, 3, 16, 17, 400, len(whole)):
            found: list[tuple[int, Content]] = []
            receiver = ProcessLink(loop, partial(_append, found))
            for begin in range(0, len(whole), step):
                receiver.data_received(whole[begin : begin + step])
            assert found == messages

    uvloop.run(run())


def test_large_messages_and_the_end_of_the_other_process() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        found: asyncio.Queue[tuple[int, Content]] = asyncio.Queue()
        closed = asyncio.Event()
        receiver = ProcessLink(loop, lambda number, content: found.put_nowait((number, content)), closed.set)
        sender = ProcessLink(loop, lambda number, content: None)
        sender.send(1, (b"x" * 5_000_000,))  # before the link is open
        await loop.create_unix_connection(lambda: receiver, sock=theirs)
        await loop.create_unix_connection(lambda: sender, sock=ours)
        sender.send(2, (b"y",))
        assert await found.get() == (1, (b"x" * 5_000_000,))
        assert await found.get() == (2, (b"y",))
        sender.close()
        await closed.wait()
        receiver.send(3, ())  # the other end is closed: it is dropped
        sender.close()

    uvloop.run(run())


class RecordedLink(ProcessLink):
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


def post(host: bytes) -> Request:
    headers = {b"host": host, b"x-amz-target": b"DynamoDB_20120810.ListTables"}
    return Request(b"POST", b"/", headers | {b"content-type": b"application/x-amz-json-1.0"}, b"{}")


def test_settings_are_the_same_after_they_were_sent() -> None:
    keys = {"AKID": Credential("AKID", "secret")}
    service = ServiceSettings("eu-west-1", ("db.test",), ("https://app.test",), keys, None, {})
    settings = ReaderSettings(Path("data.db"), service, 7, verbose=True)
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_the_service_checks_hosts_and_signatures() -> None:
    open_service = ServiceSettings("us-east-1", ("db.test",)).service()
    assert not isinstance(open_service.admit(post(b"db.test")), Reply)
    rejected = open_service.admit(post(b"other.test"))
    assert isinstance(rejected, Reply)
    assert b"not this server" in rejected.body
    closed = ServiceSettings("us-east-1", (), (), {"AKID": Credential("AKID", "secret")}).service()
    unsigned = closed.admit(post(b"localhost"))
    assert isinstance(unsigned, Reply)
    assert b"MissingAuthenticationToken" in unsigned.body
