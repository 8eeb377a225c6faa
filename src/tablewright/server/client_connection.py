"""Connections: one client each. Bytes in, one request at a time to the rounds, replies out, and a deadline."""

import asyncio
from math import inf
from typing import TYPE_CHECKING

from tablewright.server.http_replies import CONTINUE, Reply
from tablewright.server.http_requests import Malformed, Request, RequestReader
from tablewright.server.request_log import log_request
from tablewright.server.service import too_bad

if TYPE_CHECKING:
    from tablewright.server.listener import Server

# Seconds: for a next request to begin; for a request to come whole or a reply to go; for a refused client to stop.
IDLE = 300.0
SLOW = 30.0
LINGER = 3.0
# A client may send this much ahead of our replies before we stop listening to it.
MOST_AHEAD = 256 * 1024
# What the log shows of bytes that are no request.
NO_REQUEST = Request(b"-", b"")


class Connection(asyncio.Protocol):
    """One client, until it leaves, misbehaves, or takes too long."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._reader = RequestReader()
        self._transport: asyncio.Transport
        self._request: Request | None = None
        self._is_entered = False
        self._is_ending = False
        self._is_choked = False
        self._is_last = False
        self._began = 0.0
        self.deadline = inf
        self.operation = "-"
        """What is being run, for the log."""
        self.held = 0
        """Bytes of a request that waits for its turn."""

    @property
    def is_busy(self) -> bool:
        """Whether a request has begun to come, is being served, or its reply is still to be read."""
        return self._request is not None or self._is_choked or not self._reader.is_idle

    @property
    def gathered(self) -> int:
        """How many bytes of requests yet to be served are kept for this client."""
        return self._reader.gathered + self.held

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has come."""
        self._transport = transport  # type: ignore[assignment]
        self.deadline = self._server.time() + IDLE
        self._server.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone; what it asked for is done all the same, unless it still waited for its turn."""
        self._is_ending = True
        self._server.closed(self)

    def data_received(self, data: bytes) -> None:
        """Some bytes have come: look at them in the next round."""
        if self._is_ending:
            return
        self._reader.feed(data)
        if self._request is None and not self._is_choked:
            self._enter()
        elif self._reader.waiting > MOST_AHEAD:
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """The client will send no more, but may still read the replies to what it sent."""
        self._is_last = True
        is_held_up = self._is_choked and self._reader.waiting > 0
        return self._request is not None or self._is_entered or is_held_up

    def take(self) -> Request | None:
        """The next request, if it has come whole."""
        self._is_entered = False
        try:
            request = self._reader.take()
        except Malformed as malformed:
            self._refuse(malformed)
            return None
        now = self._server.time()
        if request is None:
            self._wait_for_rest(now)
            return None
        self._request = request
        self._began = now
        self.operation = "-"
        self.deadline = inf
        return request

    def answer(self, reply: Reply) -> None:
        """Send a reply to the request last taken, and turn to the next."""
        request, self._request = self._request, None
        if self._is_ending or request is None:
            return
        if request.method == b"HEAD":
            reply = reply._replace(body=b"")
        stays = request.keep_alive and not self._server.is_stopping
        self._transport.write(reply.message(keep_alive=stays))
        if self._server.logs:
            log_request(self._client, self.operation, request, reply, self._server.time() - self._began)
        self.deadline = self._server.time() + (SLOW if self._is_choked else IDLE)
        if not stays:
            self._end()
        elif self._reader.waiting:
            if not self._is_choked:
                self._transport.resume_reading()
                self._enter()
        elif self._is_last:
            self._end()

    def pause_writing(self) -> None:
        """The client does not read its replies: nothing more is done for it until it does."""
        self._is_choked = True
        self.deadline = self._server.time() + SLOW

    def resume_writing(self) -> None:
        """The client has read its replies."""
        self._is_choked = False
        self.deadline = self._server.time() + IDLE
        if self._request is None and not self._is_ending:
            self._transport.resume_reading()
            self._enter()

    def leave(self) -> None:
        """The server stops: end now if nothing is going on, otherwise after the reply."""
        if self._is_ending or not self.is_busy:
            self._end()

    def drop(self) -> None:
        """End at once."""
        self._is_ending = True
        self._transport.abort()

    @property
    def _client(self) -> str:
        peer = self._transport.get_extra_info("peername")
        return str(peer[0]) if peer else "-"

    def _end(self) -> None:
        """End once everything written has gone out."""
        self._is_ending = True
        self._transport.close()

    def _enter(self) -> None:
        if not self._is_entered:
            self._is_entered = True
            self._server.rounds.enter(self)

    def _wait_for_rest(self, now: float) -> None:
        if self._is_last:
            self._end()
            return
        if self._reader.wants_continue:
            self._reader.wants_continue = False
            self._transport.write(CONTINUE)
        if self._reader.is_idle:
            return
        # The first byte starts the clock; the next ones do not set it back.
        self.deadline = min(self.deadline, now + SLOW)

    def _refuse(self, malformed: Malformed) -> None:
        """Say why, then read on for a moment: a client that is still sending must not lose our reply to a reset."""
        self._is_ending = True
        reply = too_bad(malformed)
        self._transport.write(reply.message(keep_alive=False))
        if self._server.logs:
            log_request(self._client, "-", NO_REQUEST, reply, 0.0)
        if self._is_last:
            self._end()
            return
        self._transport.write_eof()
        self.deadline = self._server.time() + LINGER
