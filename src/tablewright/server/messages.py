"""HTTP/1.1 messages: a request read from bytes, a reply written to bytes."""

import random
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from zlib import crc32

MAX_HEAD = 16 * 1024
MAX_BODY = 16 * 1024 * 1024
JSON = b"application/x-amz-json-1.0"

_REASONS = {
    200: b"OK",
    400: b"Bad Request",
    404: b"Not Found",
    413: b"Content Too Large",
    500: b"Internal Server Error",
}
_REPLY = (
    b"HTTP/1.1 %d %b\r\nserver: Server\r\ndate: %b\r\ncontent-type: %b\r\ncontent-length: %d\r\n"
    b"x-amzn-requestid: %b\r\nx-amz-crc32: %d\r\n%b\r\n%b"
)


class Malformed(Exception):
    """The bytes are not a request we read; the connection ends with this status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(slots=True)
class Request:
    """One request; header names are lower case, repeated headers joined by commas."""

    method: bytes
    path: bytes
    headers: dict[bytes, bytes] = field(default_factory=dict)
    body: bytes = b""
    keep_alive: bool = True


def parse_head(head: bytes) -> Request:
    """The request line and headers, without the blank line that ends them."""
    lines = head.split(b"\r\n")
    words = lines[0].split(b" ")
    if len(words) != 3 or words[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise Malformed(400, "not an HTTP/1.1 request")
    headers: dict[bytes, bytes] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not name or name != name.strip():
            raise Malformed(400, "not a header")
        name = name.lower()
        value = value.strip()
        headers[name] = headers[name] + b"," + value if name in headers else value
    connection = headers.get(b"connection", b"").lower()
    keep = b"close" not in connection if words[2] == b"HTTP/1.1" else b"keep-alive" in connection
    return Request(words[0], words[1], headers, keep_alive=keep)


def reply(status: int, body: bytes, *, kind: bytes = JSON, extra: bytes = b"") -> bytes:
    """A whole reply; `extra` holds further header lines, each ended."""
    request_id = b"%052X" % random.getrandbits(208)
    return _REPLY % (status, _REASONS[status], _date(), kind, len(body), request_id, crc32(body), extra, body)


_dated: tuple[int, bytes] = (0, b"")


def _date() -> bytes:
    global _dated
    second = int(time.time())
    if _dated[0] != second:
        _dated = (second, formatdate(second, usegmt=True).encode())
    return _dated[1]
