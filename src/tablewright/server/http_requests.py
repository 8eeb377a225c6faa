"""HTTP requests: HTTP/1.1 parsed from bytes as they arrive, with limits that are checked before parsing.

The limits are AWS's: 16 KB for the request line and headers together, 16 MB for a body, chunked or not. Ambiguous
requests are rejected: parsers disagree about two lengths, a folded header or a space before a colon, and requests are
smuggled through such disagreements.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import lru_cache

MAX_HEAD = 16 * 1024
MAX_BODY = 16 * 1024 * 1024
# Of a chunk's size line, and of a trailer.
MAX_LINE = 1024
MAX_CACHED_NAMES = 512

_REQUEST_LINE = re.compile(rb"([A-Z]{1,16}) ([!-~]+) HTTP/1\.([01])")
# The origin form, and the absolute form that clients send to a proxy (RFC 9112, 3.2.2).
_TARGET = re.compile(rb"/[!-~]*|\*")
_ABSOLUTE = re.compile(rb"(?i:https?)://([^/?#]+)(.*)")
_HEADER_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")
_CONTROL = bytes({*range(32), 127} - set(b"\t"))
# The first byte of a request: of a method, or of a blank line before the request.
_FIRST_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\r")


class Malformed(Exception):
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
    _require_no_control(b"".join(lines))
    headers: dict[bytes, bytes] = {}
    firsts: dict[bytes, bytes] | None = None
    for line in lines[1:]:
        raw, colon, value = line.partition(b":")
        if not colon:
            raise Malformed("a header line has no colon")
        name = _NAMES[raw]
        value = value.strip()
        if name in headers:
            if name == b"host":
                raise Malformed("there are two Host headers")
            firsts = firsts or {}
            firsts.setdefault(name, headers[name])
            value = headers[name] + b"," + value
        headers[name] = value
    method, authority, target, minor = _request_line(lines[0])
    if minor == b"1":
        if b"host" not in headers:
            raise Malformed("there is no Host header")
    elif b"transfer-encoding" in headers:
        raise Malformed("HTTP/1.0 has no Transfer-Encoding")
    if authority is not None:
        # An absolute target overrides the Host header (RFC 9112, 3.2.2).
        headers[b"host"] = authority
    return Request(method, target, headers, b"", _is_kept_alive(minor, headers.get(b"connection")), firsts)


def _require_no_control(text: bytes) -> None:
    if len(text.translate(None, _CONTROL)) < len(text):
        raise Malformed("a header holds a control character")


class _NameCache(dict[bytes, bytes]):
    """A cache of header names, as sent and in lower case: clients send the same few names in every request."""

    def __missing__(self, raw: bytes) -> bytes:
        if _HEADER_NAME.fullmatch(raw) is None:
            raise Malformed("a header's name is not a token")
        name = raw.lower()
        if len(self) < MAX_CACHED_NAMES:
            self[raw] = name
        return name


_NAMES = _NameCache()


@lru_cache(maxsize=64)
def _request_line(line: bytes) -> tuple[bytes, bytes | None, bytes, bytes]:
    """Method, authority (of an absolute target, otherwise None), target, and the minor version."""
    match = _REQUEST_LINE.fullmatch(line)
    if match is None:
        raise Malformed("this is not an HTTP/1.1 request")
    method, target, minor = match.groups()
    if _TARGET.fullmatch(target):
        return method, None, target, minor
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        raise Malformed("the request's target is neither a path nor a URL")
    authority, path = absolute.groups()
    return method, authority, path if path.startswith(b"/") else b"/" + path, minor


def _is_kept_alive(minor: bytes, connection: bytes | None) -> bool:
    if connection is None:
        return minor == b"1"
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

    __slots__ = ("_at", "_body", "_data", "_reading", "expects_continue")

    def __init__(self) -> None:
        # Everything before `_at` is parsed; to cut it off after each request would copy the rest each time.
        self._data = b""
        self._at = 0
        self._body = bytearray()
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
    def is_idle(self) -> bool:
        """Whether no byte of a next request has arrived."""
        return self._reading is None and not self.unread_bytes

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._data = data if self._at == len(self._data) else self._data[self._at :] + data
        self._at = 0

    def take(self) -> Request | None:
        """The next request, or None if it is not complete yet; raises Malformed if it can never be."""
        if self._reading is None:
            if self._at == len(self._data):
                return None
            self._reading = self._read()
        try:
            next(self._reading)
        except StopIteration as done:
            self._reading = None
            if self._at == len(self._data):
                self._data, self._at = b"", 0
            return done.value  # type: ignore[no-any-return]
        return None

    def _read(self) -> Generator[None, None, Request]:
        """Parse one request; each `yield` waits for more bytes."""
        # Checked first: a client that speaks TLS would wait for a reply to its handshake, and never send a blank line.
        if self._data[self._at] not in _FIRST_BYTES:
            raise Malformed("this is not an HTTP/1.1 request")
        while (end := self._data.find(b"\r\n\r\n", self._at)) < 0:
            if self.unread_bytes > MAX_HEAD:
                raise Malformed("the request line and headers are longer than 16 KB")
            yield
        if end - self._at > MAX_HEAD:
            raise Malformed("the request line and headers are longer than 16 KB")
        # RFC 9112 (2.2) requires to skip a blank line before a request.
        request = parse_head(self._data[self._at : end].removeprefix(b"\r\n"))
        self._at = end + 4
        headers = request.headers
        chunked = b"transfer-encoding" in headers
        length = 0 if chunked else _length(headers)
        if b"expect" in headers and headers[b"expect"].lower() == b"100-continue":
            self.expects_continue = not self.unread_bytes and (chunked or length > 0)
        if chunked:
            _require_chunked(headers)
            request.body = yield from self._chunks()
        elif length:
            request.body = yield from self._exactly(length)
        self.expects_continue = False
        return request

    def _chunks(self) -> Generator[None, None, bytes]:
        while length := _chunk_length((yield from self._line())):
            if len(self._body) + length > MAX_BODY:
                raise Malformed("the body is larger than 16 MB", 413)
            yield from self._collect(length)
            if (yield from self._line()):
                raise Malformed("a chunk is longer than it says")
        while (yield from self._line()):
            pass
        return self._take_body()

    def _line(self) -> Generator[None, None, bytes]:
        while (end := self._data.find(b"\r\n", self._at, self._at + MAX_LINE)) < 0:
            if self.unread_bytes > MAX_LINE:
                raise Malformed("a line between chunks is too long")
            yield
        line = self._data[self._at : end]
        _require_no_control(line)
        self._at = end + 2
        return line

    def _exactly(self, length: int) -> Generator[None, None, bytes]:
        if self.unread_bytes < length:
            yield from self._collect(length)
            return self._take_body()
        start = self._at
        self._at = start + length
        return self._data[start : self._at]

    def _collect(self, length: int) -> Generator[None, None, None]:
        """Add that many bytes to the body."""
        while True:
            piece = self._data[self._at : self._at + length]
            self._at += len(piece)
            self._body += piece
            length -= len(piece)
            if not length:
                return
            yield

    def _take_body(self) -> bytes:
        body, self._body = bytes(self._body), bytearray()
        return body


def _length(headers: dict[bytes, bytes]) -> int:
    text = headers.get(b"content-length", b"0")
    if not text.isdigit():
        raise Malformed("Content-Length is not a number")
    if len(text) > 12 or int(text) > MAX_BODY:
        raise Malformed("the body is larger than 16 MB", 413)
    return int(text)


def _require_chunked(headers: dict[bytes, bytes]) -> None:
    if b"content-length" in headers:
        raise Malformed("Content-Length and Transfer-Encoding contradict each other")
    if headers[b"transfer-encoding"].lower() != b"chunked":
        raise Malformed("Transfer-Encoding is not chunked")


def _chunk_length(line: bytes) -> int:
    size = _CHUNK_SIZE.fullmatch(line)
    if size is None:
        raise Malformed("a chunk has no size")
    return int(size[1], 16)
