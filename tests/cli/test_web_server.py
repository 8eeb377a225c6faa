"""The web server beside the DynamoDB endpoint."""

import asyncio
import urllib.request
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from tablewright.cli.web_server import Web, listen


def test_requests_are_answered_until_it_is_stopped() -> None:
    def hello(request: Request) -> PlainTextResponse:
        return PlainTextResponse("hello")

    listener = listen("127.0.0.1", 0)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with listener:
        web = Web(Starlette(routes=[Route("/", hello)]), listener)
        try:
            with urllib.request.urlopen(address, timeout=30) as reply:
                assert reply.read() == b"hello"
        finally:
            web.stop()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address, timeout=30)


def test_open_events_end_when_the_server_stops(caplog: pytest.LogCaptureFixture) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"data: first\n\n"
        await asyncio.Event().wait()

    def events(request: Request) -> StreamingResponse:
        return StreamingResponse(endless(), media_type="text/event-stream")

    with listen("127.0.0.1", 0) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        web = Web(Starlette(routes=[Route("/", events)]), listener)
        with urllib.request.urlopen(address, timeout=30) as reply:
            assert reply.readline() == b"data: first\n"
            web.stop()
            assert reply.read() == b"\n"
    assert caplog.text == ""


def test_a_port_in_use_is_an_error_at_once() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", first.getsockname()[1])
