"""Connections: bytes in, requests to the engine, replies out."""

import asyncio

from tablewright.engine.database import Database
from tablewright.errors import UnknownOperation
from tablewright.server.messages import MAX_BODY, MAX_HEAD, Malformed, Request, parse_head, reply
from tablewright.values.codec import to_json

TARGETS = (b"DynamoDB_20120810", b"DynamoDBStreams_20120810")


class Connection(asyncio.Protocol):
    """One client."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._buffer = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to write."""
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._buffer += data
        try:
            while (request := self._next_request()) is not None:
                self._transport.write(self._answer(request))
                if not request.keep_alive:
                    self._transport.close()
                    return
        except Malformed as malformed:
            self._transport.write(reply(malformed.status, b"", extra=b"connection: close\r\n"))
            self._transport.close()

    def _next_request(self) -> Request | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 or end > MAX_HEAD:
            if len(self._buffer) > MAX_HEAD:
                raise Malformed(400, "headers too large")
            return None
        request = parse_head(self._buffer[:end])
        start = end + 4
        length = request.headers.get(b"content-length", b"0")
        if not length.isdigit():
            raise Malformed(400, "bad content-length")
        if int(length) > MAX_BODY:
            raise Malformed(413, "body too large")
        if len(self._buffer) < start + int(length):
            return None
        request.body = self._buffer[start : start + int(length)]
        self._buffer = self._buffer[start + int(length) :]
        return request

    def _answer(self, request: Request) -> bytes:
        if request.method == b"GET" and request.path == b"/":
            return reply(200, b"healthy: %b " % request.headers.get(b"host", b""), kind=b"text/plain")
        service, _, operation = request.headers.get(b"x-amz-target", b"").partition(b".")
        if service not in TARGETS:
            return reply(400, to_json(UnknownOperation().body()))
        return reply(*self._database.call_json(operation.decode("latin-1"), request.body))
