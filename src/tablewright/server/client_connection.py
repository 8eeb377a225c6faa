"""Client connections: bytes in, one request at a time to the batcher, replies out, and a deadline."""

import asyncio
from math import inf
from typing import Protocol

from tablewright.server.batching import Batcher
from tablewright.server.http_messages import CONTINUE, MalformedRequest, Reply, Request, RequestReader
from tablewright.server.request_bodies import SMALL_BODY, BodyBudget, ReadTurns
from tablewright.server.request_log import log_request
from tablewright.server.service import malformed_reply

# Seconds: for the next request to begin; for a request to arrive or a reply to be read; for a rejected client to stop.
IDLE_TIMEOUT = 300.0
TRANSFER_TIMEOUT = 30.0
LINGER_TIMEOUT = 3.0
# Seconds that a large body waits for memory; as it is not read, a client that has gone is not noticed earlier. While
# others wait, a body must arrive at this rate after so many seconds.
ADMISSION_TIMEOUT = 30.0
SLOW_AFTER = 2.0
SLOW_BYTES_PER_SECOND = 512 * 1024
# A client may send this many bytes ahead of the replies before the server stops reading from it.
MAX_READ_AHEAD = 256 * 1024
# What the log shows for bytes that are not a request.
NO_REQUEST = Request(b"-", b"")


class ConnectionOwner(Protocol):
    """The server that a connection belongs to."""

    batcher: Batcher
    bodies: BodyBudget
    turns: ReadTurns
    is_stopping: bool
    logs_requests: bool

    def time(self) -> float:
        """The current time in seconds, of a clock that never goes back."""

    def opened(self, connection: "ClientConnection", /) -> None:
        """A client has connected."""

    def closed(self, connection: "ClientConnection", /) -> None:
        """A client has disconnected."""


class ClientConnection(asyncio.Protocol):
    """The connection of one client, until the client disconnects, sends bad bytes, or misses a deadline."""

    def __init__(self, server: ConnectionOwner) -> None:
        self._server = server
        self._reader = RequestReader()
        self._transport: asyncio.Transport
        self._request: Request | None = None
        self._is_queued = False
        self._is_closing = False
        self._is_write_paused = False
        self._is_read_paused = False
        self._is_input_closed = False
        self._started = 0.0
        self._body_admitted: float | None = None
        self._waits_for_admission = False
        self.address = "-"
        """Where the client is, to limit how many connections one machine has."""
        self.deadline = inf
        self.arriving_since = inf
        """When the first byte of a request arrived that is not complete yet."""
        self.operation = "-"
        """The operation that is being run, for the log."""
        self.deferred_bytes = 0
        """The size of a request that waits for its turn."""

    @property
    def is_busy(self) -> bool:
        """Whether a request is arriving or being served, or its reply is still to be read by the client."""
        return self._request is not None or self._is_write_paused or not self._reader.is_idle

    @property
    def is_arriving(self) -> bool:
        """Whether a request has begun to arrive and is not complete."""
        return self.arriving_since != inf

    def is_slow(self, now: float) -> bool:
        """Whether a large body arrives too slowly to keep memory that others wait for."""
        if self._body_admitted is None or not self.is_arriving:
            return False
        seconds = now - self._body_admitted
        return seconds > SLOW_AFTER and self._reader.buffered_bytes < seconds * SLOW_BYTES_PER_SECOND

    @property
    def buffered_bytes(self) -> int:
        """The number of bytes kept of requests that are not served yet."""
        return self._reader.buffered_bytes + self.deferred_bytes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called when the client has connected."""
        self._transport = transport  # type: ignore[assignment]
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else "-"
        self.deadline = self._server.time() + IDLE_TIMEOUT
        self._server.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called when the client has disconnected. Its request is still run, unless it was waiting for its turn."""
        self._is_closing = True
        self._reader.close()
        self._release_body()
        self._server.closed(self)

    def data_received(self, data: bytes) -> None:
        """Called when bytes have arrived: they are parsed in the next batch."""
        if self._is_closing:
            return
        self._reader.feed(data)
        if self._request is None and not self._is_write_paused:
            self._enqueue()
        # Also before the next batch: a socket is read many times in a row while there are bytes.
        if self._body_admitted is not None or self._reader.unread_bytes > MAX_READ_AHEAD:
            self._pause_reading()

    def eof_received(self) -> bool:
        """Called when the client will send no more; it may still read the replies to its requests."""
        self._is_input_closed = True
        has_blocked_requests = self._is_write_paused and self._reader.unread_bytes > 0
        return self._request is not None or self._is_queued or has_blocked_requests

    def take(self) -> Request | None:
        """The next request, if it has arrived completely."""
        self._is_queued = False
        try:
            request = self._reader.take()
        except MalformedRequest as malformed:
            self._reject(malformed)
            return None
        now = self._server.time()
        if request is None:
            self._wait_for_rest(now)
            return None
        request.address = self.address
        self._request = request
        self.arriving_since = inf
        self._started = now
        self.operation = "-"
        self.deadline = inf
        if self._reader.unread_bytes <= MAX_READ_AHEAD:
            self._resume_reading()  # to notice a client that leaves
        return request

    def send_reply(self, reply: Reply) -> None:
        """Send the reply to the request last taken, and continue with the next request."""
        request, self._request = self._request, None
        self._release_body()
        if self._is_closing or request is None:
            return
        if request.method == b"HEAD":
            reply = reply._replace(body=b"")
        keep_alive = request.keep_alive and not self._server.is_stopping
        self._transport.write(reply.message(keep_alive=keep_alive))
        if self._server.logs_requests:
            log_request(self.address, self.operation, request, reply, self._server.time() - self._started)
        timeout = TRANSFER_TIMEOUT if self._is_write_paused else IDLE_TIMEOUT
        self.deadline = self._server.time() + timeout
        if not keep_alive:
            self._close()
        elif self._reader.unread_bytes:
            if not self._is_write_paused:
                self._resume_reading()
                self._enqueue()
        elif self._is_input_closed:
            self._close()
        elif not self._is_write_paused:
            self._resume_reading()

    def pause_writing(self) -> None:
        """Called when the client does not read its replies: its next requests wait until it does."""
        self._is_write_paused = True
        self.deadline = self._server.time() + TRANSFER_TIMEOUT

    def resume_writing(self) -> None:
        """Called when the client has read its replies."""
        self._is_write_paused = False
        self.deadline = self._server.time() + IDLE_TIMEOUT
        if self._request is None and not self._is_closing and not self._waits_for_admission:
            self._resume_reading()
            self._enqueue()

    def finish(self) -> None:
        """Close the connection because the server stops: now if it is idle, otherwise after the reply."""
        if self._is_closing or not self.is_busy:
            self._close()

    def drop(self) -> None:
        """Close the connection at once."""
        self._is_closing = True
        self._transport.abort()

    def admit(self) -> None:
        """Called when there is memory for the body: go on reading it."""
        self._waits_for_admission = False
        self._body_admitted = self._server.time()
        self.deadline = self._body_admitted + TRANSFER_TIMEOUT
        self._reader.reserve()
        self._server.turns.request(self)

    def read_on(self) -> None:
        """Read the next piece of a large body."""
        self._resume_reading()

    def _pause_reading(self) -> None:
        if not self._is_read_paused:
            self._is_read_paused = True
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if self._is_read_paused and not self._is_closing:
            self._is_read_paused = False
            self._transport.resume_reading()

    def _release_body(self) -> None:
        if self._body_admitted is not None or self._waits_for_admission:
            self._body_admitted, self._waits_for_admission = None, False
            self._server.bodies.release(self)

    def _close(self) -> None:
        """Close the connection after all written bytes are sent."""
        self._is_closing = True
        self._transport.close()

    def _enqueue(self) -> None:
        if not self._is_queued:
            self._is_queued = True
            self._server.batcher.enqueue(self)

    def _wait_for_rest(self, now: float) -> None:
        if self._is_input_closed:
            self._close()
            return
        if self._reader.expects_continue:
            self._reader.expects_continue = False
            self._transport.write(CONTINUE)
        if self._reader.is_idle:
            return
        self.arriving_since = min(self.arriving_since, now)
        if self._waits_for_admission:
            return
        # The first byte starts the timeout; further bytes do not extend it.
        self.deadline = min(self.deadline, now + TRANSFER_TIMEOUT)
        if self._body_admitted is None and self._reader.expected_bytes > SMALL_BODY:
            self._request_admission(now)
        if self._body_admitted is not None:
            self._server.turns.request(self)
        elif not self._waits_for_admission:
            self._resume_reading()

    def _request_admission(self, now: float) -> None:
        if self._server.bodies.request(self, self._reader.expected_bytes):
            self._body_admitted = now
            self._reader.reserve()
            self._pause_reading()
        else:
            self._waits_for_admission = True
            self.deadline = now + ADMISSION_TIMEOUT
            self._pause_reading()

    def _reject(self, malformed: MalformedRequest) -> None:
        """Reply with the reason, then read a little longer: a client that still sends must not lose the reply."""
        self._resume_reading()
        self._is_closing = True
        self._reader.close()
        self._release_body()
        reply = malformed_reply(malformed)
        self._transport.write(reply.message(keep_alive=False))
        if self._server.logs_requests:
            log_request(self.address, "-", NO_REQUEST, reply, 0.0)
        if self._is_input_closed:
            self._close()
            return
        self._transport.write_eof()
        self.deadline = self._server.time() + LINGER_TIMEOUT
