"""HTTP messages: HTTP/1.1 requests, parsed as their bytes arrive, with limits checked before, and replies.

The limits are AWS's: 16 KB for the request line and headers together, 16 MB for a body, chunked or not. Ambiguous
requests are rejected: parsers disagree about two lengths, a folded header or a space before a colon, and requests are
smuggled through such disagreements. Replies are as AWS writes them, with a request ID, a checksum and the date.
"""

import random
import re
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from tablewright.dynamodb.values.stored_items import LARGE, to_json
from tablewright.engine.database import failed
from tablewright.errors import InternalFailure, ServiceUnavailable
from tablewright.server.request_bodies import BodyBuffer

MAX_HEAD = 16 * 1024
MAX_BODY = 16 * 1024 * 1024
# A chunked body counts as one of the largest size when it is longer than this.
SMALL_CHUNKS = 64 * 1024
# Of a chunk's size line, and of a trailer.
MAX_LINE = 1024
MAX_CACHED_LINES = 1024
MAX_CACHED_LINE = 512

_REQUEST_LINE = re.compile(rb"([A-Z]{1,16}) ([!-~]+) HTTP/1\.([01])")
# The origin form, and the absolute form that clients send to a proxy (RFC 9112, 3.2.2).
_TARGET = re.compile(rb"/[!-~]*|\*")
_ABSOLUTE = re.compile(rb"(?i:https?)://([^/?#]+)(.*)")
_HEADER_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")
_CONTROL = bytes({*range(32), 127} - set(b"\t"))
# The first byte of a request: of a method, or of a blank line before the request.
_FIRST_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\r")


class MalformedRequest(Exception):
    """The bytes are not a valid request; the connection is closed after a reply with this status."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(slots=True)
class Request:
    """One request; header names are in lower case, the values of a repeated header are joined by commas."""

    method: bytes
    target: bytes
    headers: dict[bytes, bytes] = field(default_factory=dict)
    body: bytes = b""
    keep_alive: bool = True
    firsts: dict[bytes, bytes] | None = None
    """The first value of each repeated header."""
    arrived: BodyBuffer | None = None
    """A large body, until `load_body`: to copy 16 MB takes too long for the event loop."""
    address: str = ""
    """The IP address of the client."""

    @property
    def size(self) -> int:
        """The number of bytes of the body."""
        return len(self.body) if self.arrived is None else len(self.arrived)

    def load_body(self) -> None:
        """Copy a large body into `body`, in a worker thread."""
        if self.arrived is not None:
            self.body, self.arrived = self.arrived.take(), None

    def first(self, name: bytes) -> bytes | None:
        """The first value of a header."""
        return (self.firsts or self.headers).get(name) or self.headers.get(name)

    @property
    def path(self) -> bytes:
        """The target without its query."""
        return self.target.partition(b"?")[0]

    @property
    def query(self) -> bytes:
        """The target after its question mark."""
        return self.target.partition(b"?")[2]


def parse_head(head: bytes) -> Request:
    r"""The request line and headers, without the blank line that ends them.

    >>> parse_head(b"POST / HTTP/1.1\r\nHost: localhost").headers
    {b'host': b'localhost'}
    """
    lines = head.split(b"\r\n")
    request_line = lines.pop(0)
    headers: dict[bytes, bytes] = {}
    for line in lines:
        name, value = _LINES.get(line) or _parse_line(line)
        headers[name] = value
    firsts = _merge_repeated(headers, lines) if len(headers) < len(lines) else None
    method, authority, target, minor = _request_line(request_line)
    if minor == b"1":
        if b"host" not in headers:
            raise MalformedRequest("there is no Host header")
    elif b"transfer-encoding" in headers:
        raise MalformedRequest("HTTP/1.0 has no Transfer-Encoding")
    if authority is not None:
        # An absolute target overrides the Host header (RFC 9112, 3.2.2).
        headers[b"host"] = authority
    keep_alive = _is_kept_alive(minor, headers[b"connection"]) if b"connection" in headers else minor == b"1"
    return Request(method, target, headers, b"", keep_alive, firsts)


def _merge_repeated(headers: dict[bytes, bytes], lines: list[bytes]) -> dict[bytes, bytes]:
    """Join the values of repeated headers by commas; the first value of each is returned."""
    firsts: dict[bytes, bytes] = {}
    values: dict[bytes, list[bytes]] = {}
    for line in lines:
        name, value = _parse_line(line)
        values.setdefault(name, []).append(value)
    for name, repeated in values.items():
        if len(repeated) > 1:
            if name == b"host":
                raise MalformedRequest("there are two Host headers")
            firsts[name] = repeated[0]
            headers[name] = b",".join(repeated)
    return firsts


def _require_no_control(text: bytes) -> None:
    if len(text.translate(None, _CONTROL)) < len(text):
        raise MalformedRequest("a header holds a control character")


# Clients send the same lines in every request, but for a signature, a date or an ID: those that repeat are parsed once.
_REPEATED = {
    b"accept",
    b"accept-encoding",
    b"amz-sdk-request",
    b"connection",
    b"content-length",
    b"content-type",
    b"host",
    b"user-agent",
    b"x-amz-target",
    b"x-amz-user-agent",
}
_LINES: dict[bytes, tuple[bytes, bytes]] = {}
_NAMES: dict[bytes, bytes] = {}


def _parse_line(line: bytes) -> tuple[bytes, bytes]:
    """The name of a header in lower case, and its value."""
    raw, colon, value = line.partition(b":")
    if not colon:
        raise MalformedRequest("a header line has no colon")
    _require_no_control(line)
    header = _NAMES.get(raw) or _parse_name(raw), value.strip()
    if header[0] in _REPEATED and len(line) <= MAX_CACHED_LINE and len(_LINES) < MAX_CACHED_LINES:
        _LINES[line] = header
    return header


def _parse_name(raw: bytes) -> bytes:
    """The name of a header in lower case."""
    if _HEADER_NAME.fullmatch(raw) is None:
        raise MalformedRequest("a header's name is not a token")
    name = raw.lower()
    if len(raw) <= MAX_CACHED_LINE and len(_NAMES) < MAX_CACHED_LINES:
        _NAMES[raw] = name
    return name


@lru_cache(maxsize=64)
def _request_line(line: bytes) -> tuple[bytes, bytes | None, bytes, bytes]:
    """Method, authority (of an absolute target, otherwise None), target, and the minor version."""
    match = _REQUEST_LINE.fullmatch(line)
    if match is None:
        raise MalformedRequest("this is not an HTTP/1.1 request")
    method, target, minor = match.groups()
    if _TARGET.fullmatch(target):
        return method, None, target, minor
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        raise MalformedRequest("the request's target is neither a path nor a URL")
    authority, path = absolute.groups()
    return method, authority, path if path.startswith(b"/") else b"/" + path, minor


def _is_kept_alive(minor: bytes, connection: bytes) -> bool:
    tokens = {token.strip().lower() for token in connection.split(b",")}
    return b"close" not in tokens and (minor == b"1" or b"keep-alive" in tokens)


class RequestReader:
    """Parses requests from the bytes of one connection: feed it bytes, and take requests in order.

    >>> reader = RequestReader()
    >>> reader.feed(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n")
    >>> reader.take()
    >>> reader.feed(b"\\r\\nGET /next HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    >>> reader.take().target, reader.take().target
    (b'/', b'/next')
    """

    __slots__ = ("_at", "_body", "_data", "_expected", "_reading", "_request", "expects_continue")

    def __init__(self) -> None:
        # Everything before `_at` is parsed; to cut it off after each request would copy the rest each time.
        self._data = b""
        self._at = 0
        self._body = BodyBuffer()
        self._expected = 0
        self._request: Request | None = None
        self._reading: Generator[None, None, Request] | None = None
        self.expects_continue = False
        """The client waits for "100 Continue" before it sends the body."""

    @property
    def unread_bytes(self) -> int:
        """The number of bytes received and not parsed yet."""
        return len(self._data) - self._at

    @property
    def buffered_bytes(self) -> int:
        """The number of bytes kept, parsed or not."""
        return len(self._data) + len(self._body)

    @property
    def expected_bytes(self) -> int:
        """The size of the body that is arriving; of a chunked one that is not small, the largest possible size."""
        return self._expected

    def reserve(self) -> None:
        """Prepare for the large body that is arriving."""
        self._body.reserve(self._expected)

    @property
    def is_idle(self) -> bool:
        """Whether no byte of a next request has arrived."""
        return self._request is None and self._reading is None and not self.unread_bytes

    def close(self) -> None:
        """Forget everything at once: a suspended generator and its reader refer to each other."""
        if self._reading is not None:
            self._reading.close()
        self._body.clear()
        self._data, self._at, self._expected = b"", 0, 0
        self._request = self._reading = None

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._data = data if self._at == len(self._data) else self._data[self._at :] + data
        self._at = 0

    def take(self) -> Request | None:
        """The next request, or None if it is not complete yet; raises MalformedRequest if it can never be."""
        if self._reading is None:
            if self._at == len(self._data):
                return None
            request = self._request or self._head()
            if request is None:
                return None
            if b"transfer-encoding" not in request.headers:
                end = self._at + _length(request.headers)
                if end <= len(self._data):
                    request.body = self._data[self._at : end]
                    self._at = end
                    return self._done(request)
            if self._waits_for_body(request):
                return None
            self._reading = self._body_of(request)
        try:
            next(self._reading)
        except StopIteration as done:
            return self._done(done.value)
        return None

    def _done(self, request: Request) -> Request:
        """The request, complete; bytes are kept only of further requests."""
        self._request = self._reading = None
        self._expected = 0
        self.expects_continue = False
        self._forget_parsed()
        return request

    def _head(self) -> Request | None:
        """The request line and headers, if they are complete."""
        data, start = self._data, self._at
        # Checked first: a client that speaks TLS would wait for a reply to its handshake, and never send a blank line.
        if data[start] not in _FIRST_BYTES:
            raise MalformedRequest("this is not an HTTP/1.1 request")
        end = data.find(b"\r\n\r\n", start, start + MAX_HEAD + 4)
        if end < 0:
            if len(data) - start > MAX_HEAD:
                raise MalformedRequest("the request line and headers are longer than 16 KB")
            return None
        # RFC 9112 (2.2) requires to skip a blank line before a request.
        request = parse_head(data[start:end].removeprefix(b"\r\n"))
        self._at = end + 4
        if b"transfer-encoding" in request.headers:
            _require_chunked(request.headers)
        return request

    def _waits_for_body(self, request: Request) -> bool:
        """Whether nothing of the body has arrived, as clients may send it in a segment of its own."""
        if self.unread_bytes:
            return False
        self._request = request
        self.expects_continue = request.headers.get(b"expect", b"").lower() == b"100-continue"
        return True

    def _body_of(self, request: Request) -> Generator[None, None, Request]:
        """Read a body that is chunked or arrives in pieces; each `yield` waits for more bytes."""
        if b"transfer-encoding" in request.headers:
            yield from self._chunks()
        else:
            self._expected = _length(request.headers)
            yield from self._collect(self._expected)
        if len(self._body) > LARGE:
            request.arrived, self._body = self._body, BodyBuffer()
        else:
            request.body = self._body.take()
        return request

    def _chunks(self) -> Generator[None, None, None]:
        while length := _chunk_length((yield from self._line())):
            if len(self._body) + length > MAX_BODY:
                raise MalformedRequest("the body is larger than 16 MB", 413)
            self._expected = MAX_BODY if len(self._body) + length > SMALL_CHUNKS else 0
            yield from self._collect(length)
            if (yield from self._line()):
                raise MalformedRequest("a chunk is longer than it says")
        while (yield from self._line()):
            pass

    def _line(self) -> Generator[None, None, bytes]:
        while (end := self._data.find(b"\r\n", self._at, self._at + MAX_LINE)) < 0:
            if self.unread_bytes > MAX_LINE:
                raise MalformedRequest("a line between chunks is too long")
            yield
        line = self._data[self._at : end]
        _require_no_control(line)
        self._at = end + 2
        return line

    def _collect(self, length: int) -> Generator[None, None, None]:
        """Add that many bytes to the body."""
        while True:
            piece = self._data[self._at : self._at + length]
            self._at += len(piece)
            self._body.append(piece)
            length -= len(piece)
            if not length:
                return
            self._forget_parsed()
            yield

    def _forget_parsed(self) -> None:
        """Free the bytes that the body has a copy of, while the rest is awaited."""
        if self._at == len(self._data):
            self._data, self._at = b"", 0


def _length(headers: dict[bytes, bytes]) -> int:
    text = headers.get(b"content-length")
    if text is None:
        return 0
    if not text.isdigit():
        raise MalformedRequest("Content-Length is not a number")
    # Python converts long numbers slowly, so their length is checked first.
    if len(text) > 12 or (length := int(text)) > MAX_BODY:
        raise MalformedRequest("the body is larger than 16 MB", 413)
    return length


def _require_chunked(headers: dict[bytes, bytes]) -> None:
    if b"content-length" in headers:
        raise MalformedRequest("Content-Length and Transfer-Encoding contradict each other")
    if headers[b"transfer-encoding"].lower() != b"chunked":
        raise MalformedRequest("Transfer-Encoding is not chunked")


def _chunk_length(line: bytes) -> int:
    size = _CHUNK_SIZE.fullmatch(line)
    if size is None:
        raise MalformedRequest("a chunk has no size")
    return int(size[1], 16)


AMZ_JSON = b"application/x-amz-json-1.0"
PLAIN_JSON = b"application/json"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_REASONS = {
    200: b"OK",
    400: b"Bad Request",
    404: b"Not Found",
    413: b"Content Too Large",
    500: b"Internal Server Error",
    503: b"Service Unavailable",
}
_MESSAGE = (
    b"HTTP/1.1 %d %b\r\nserver: Server\r\ndate: %b\r\nx-amzn-requestid: %b\r\nx-amz-crc32: %d\r\n"
    b"content-type: %b\r\ncontent-length: %d\r\n%b\r\n%b"
)


class Reply(NamedTuple):
    """A reply before it is sent; `headers` are further header lines, each with its line end."""

    status: int
    body: bytes
    content_type: bytes = AMZ_JSON
    headers: bytes = b""

    def message(self, *, keep_alive: bool = True) -> bytes:
        """The bytes to send."""
        status, body, content_type, headers = self
        if not keep_alive:
            headers += b"connection: close\r\n"
        # AWS's request IDs are 52 capitals and digits; clients print them, and do not parse them.
        request_id = b"%052X" % random.getrandbits(208)
        reason = _REASONS.get(status, b"Unknown")
        return _MESSAGE % (
            status,
            reason,
            _date(),
            request_id,
            crc32(body),
            content_type,
            len(body),
            headers,
            body,
        )


# For a failure of the server; also for the writes of a failed commit: whether they were made is not known.
INTERNAL_FAILURE = Reply(
    *failed(InternalFailure("The request processing has failed because of an unknown error"))
)

# Clients of AWS try again by themselves.
SERVICE_UNAVAILABLE = Reply(
    503, to_json(ServiceUnavailable("The service is currently unavailable or busy.").body())
)


class _DateCache:
    """The date in the format of HTTP, formatted once a second."""

    second = 0
    text = b""


def _date() -> bytes:
    second = int(time.time())
    if second != _DateCache.second:
        _DateCache.text = formatdate(second, usegmt=True).encode()
        _DateCache.second = second
    return _DateCache.text
