"""One HTTP request and its reply, over a connection that botocore has opened.

urllib3 and http.client take ten times the CPU time of the request itself: most of it parses the headers of the reply as
those of an e-mail. Here, the bytes are written to the socket and the reply is read from it. botocore opens connections
and keeps them in its pool, so that TLS, certificates, timeouts, keep-alive and the number of connections are as
configured. Where a reply is not of the simplest form, http.client reads it.

Replies that were damaged or cut on their way: their checksum, their length, and whether they are JSON.

botocore notices a wrong checksum only to decide about a retry, and Tablewright disables botocore's retries (`access`
retries). botocore returns a reply that was cut, or that is no JSON, as an empty result. Here, each is a lost reply.
"""

from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPResponse
from io import BufferedReader, RawIOBase
from queue import Empty
from socket import socket
from typing import Any, NamedTuple
from zlib import crc32

from botocore.exceptions import ConnectionClosedError, HTTPClientError, ReadTimeoutError
from urllib3.util.connection import is_connection_dropped


class DamagedReply(HTTPClientError):  # type: ignore[misc]
    """A reply that cannot be used. Whether the request was executed is unknown."""

    fmt = "the reply is damaged: {error}"


def check_reply(
    status: int, headers: Mapping[str, str], body: bytes | bytearray, *, has_content: bool = True
) -> None:
    """Raise `DamagedReply` if a reply is not as it was sent. The names of headers are in lower case.

    `has_content` is false for operations that reply with nothing, such as TagResource.
    """
    length = headers.get("content-length")
    if length is not None and int(length) != len(body):
        raise DamagedReply(error=f"{len(body)} of {length} bytes arrived")
    checksum = headers.get("x-amz-crc32")
    if checksum is not None and int(checksum) != crc32(body):
        raise DamagedReply(error=f"its checksum is {crc32(body)}, but the header x-amz-crc32 is {checksum}")
    if status < 300 and has_content and not (body[:1] == b"{" and body[-1:] == b"}"):
        raise DamagedReply(error="it is not a JSON object")


def reject_damaged_reply(response_dict: dict[str, Any], operation_model: Any, **_: Any) -> None:
    """Check a reply on botocore's own path; for its event `before-parse`."""
    headers = {name.lower(): value for name, value in response_dict["headers"].items()}
    has_content = operation_model.output_shape is not None
    check_reply(response_dict["status_code"], headers, response_dict["body"], has_content=has_content)


_FIRST_READ = 65536
_LONGEST_LENGTH = 8  # digits: memory for the body is allocated before it arrives


class HttpReply(NamedTuple):
    """A reply; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes | bytearray


def exchange(pool: Any, url: str, request: bytes) -> HttpReply | None:
    """Send a request over an open connection of a urllib3 pool; return None if the pool has none.

    A connection is given back only after its reply was read completely: what is left of a reply would be taken for the
    next one.
    """
    connection = _idle_connection(pool)
    if connection is None:
        return None
    keep = False
    try:
        _send(connection.sock, url, request)
        try:
            reply, keep = _receive(connection.sock)
        except TimeoutError as error:
            raise ReadTimeoutError(endpoint_url=url, error=error) from error
        except (OSError, EOFError, HTTPException, ValueError) as error:
            raise ConnectionClosedError(endpoint_url=url, error=error, request=None) from error
        return reply
    finally:
        if not keep:
            connection.close()
        pool._put_conn(connection if keep else None)


def _idle_connection(pool: Any) -> Any | None:
    """Take an open connection from a pool; None if there is none. Never make one: botocore sets its certificates."""
    try:
        connection = pool.pool.get(block=False)
    except (AttributeError, Empty):  # the pool is closed, or all its connections are in use
        return None
    if connection is not None:
        if connection.sock is not None and not is_connection_dropped(connection):
            return connection
        connection.close()
    pool._put_conn(None)
    return None


def _send(sock: socket, url: str, request: bytes) -> None:
    try:
        sock.sendall(request)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the server may have replied before it closed the connection
    except OSError as error:
        raise ConnectionClosedError(endpoint_url=url, error=error, request=None) from error


def _receive(sock: socket) -> tuple[HttpReply, bool]:
    """Return the reply, and whether the connection can be used again."""
    received = sock.recv(_FIRST_READ)
    while (end := received.find(b"\r\n\r\n")) < 0:
        more = sock.recv(_FIRST_READ)
        if not more:
            raise EOFError("the connection was closed before the reply")
        received += more
        if len(received) > _FIRST_READ:
            return _receive_any(sock, received)
    lines = received[:end].decode("latin-1").split("\r\n")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not colon or name in headers or name[:1] in {" ", "\t"}:
            return _receive_any(sock, received)
        headers[name] = value.strip()
    status, length = lines[0][9:12], headers.get("content-length", "")
    if len(length) > _LONGEST_LENGTH:
        raise HTTPException(f"no reply of DynamoDB has {length} bytes")
    if (
        lines[0][:9] != "HTTP/1.1 "
        or not (status.isdecimal() and status >= "200")
        or not length.isdecimal()
        or "transfer-encoding" in headers
    ):
        return _receive_any(sock, received)
    body, is_exact = _receive_body(sock, received[end + 4 :], int(length))
    return HttpReply(int(status), headers, body), is_exact and "close" not in headers.get(
        "connection", ""
    ).lower()


def _receive_body(sock: socket, start: bytes, length: int) -> tuple[bytes | bytearray, bool]:
    """Return a body of this length, and whether nothing followed it."""
    if len(start) >= length:
        return start[:length], len(start) == length
    body = bytearray(length)
    body[: len(start)] = start
    rest, at = memoryview(body), len(start)
    while at < length:
        count = sock.recv_into(rest[at:])
        if not count:
            raise EOFError(f"the connection was closed after {at} of {length} bytes of the reply")
        at += count
    return body, True


def _receive_any(sock: socket, start: bytes) -> tuple[HttpReply, bool]:
    """Read a reply of any form, of which the start has been received."""
    response = HTTPResponse(_Received(start, sock.recv_into), method="POST")  # type: ignore[arg-type]
    response.begin()
    body = response.read()
    headers = {name.lower(): value for name, value in response.getheaders()}
    # http.client has removed the chunks, and has checked the length.
    return HttpReply(response.status, headers, body), not response.will_close


class _Received(RawIOBase):
    """A stream for http.client, with bytes that have been received before."""

    def __init__(self, start: bytes, receive: Callable[[memoryview], int]) -> None:
        self._start = start
        self._receive = receive

    def makefile(self, mode: str) -> BufferedReader:
        return BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._start:
            return self._receive(buffer)
        count = min(len(buffer), len(self._start))
        buffer[:count] = self._start[:count]
        self._start = self._start[count:]
        return count
