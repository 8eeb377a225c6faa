"""Links: messages of any size arrive whole and in order, whatever pieces the bytes arrive in."""

import asyncio
import socket
from functools import partial

import uvloop

from tablewright.server.workers.process_links import Content, Link


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
        sender = Link(loop, lambda number, content: None)
        sender.connection_made(sink)
        messages: list[tuple[int, Content]] = [(1, (b"", None)), (2, ({b"a": b"b"}, "x" * 300)), (3, (7,))]
        for number, content in messages:
            sender.send(number, content)
        await asyncio.sleep(0)
        whole = bytes(sink.written)
        for step in (1, 3, 16, 17, 400, len(whole)):
            found: list[tuple[int, Content]] = []
            receiver = Link(loop, partial(_append, found))
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
        receiver = Link(loop, lambda number, content: found.put_nowait((number, content)), closed.set)
        sender = Link(loop, lambda number, content: None)
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
