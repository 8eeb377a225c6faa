"""HTTP reader: our reader of requests against httptools (llhttp, in C), in speed and in what is accepted.

httptools is not a dependency: `pip install httptools` to measure against it; without it, its rows are left out.
"""

import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, Protocol

from benchmarks.settings import Settings
from benchmarks.timing import compare, table
from tablewright.server.http_messages import MAX_BODY, MAX_HEAD, MalformedRequest, Request, RequestReader
from tests.server.malformed_requests import MALFORMED

CALLS = 3000
_FIRST_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\r")


class Reader(Protocol):
    """A reader: feed it bytes, and take requests."""

    def feed(self, data: bytes) -> None: ...

    def take(self) -> Request | None: ...


def request(operation: str, body: bytes) -> bytes:
    """A request with the headers that boto3 sends."""
    head = (
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nAccept-Encoding: identity\r\n"
        f"X-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "User-Agent: Boto3/1.43.5 md/Botocore#1.43.5 ua/2.1 os/linux#6.8.0 md/arch#x86_64 lang/python#3.11.7 "
        "md/pyimpl#CPython m/n,Z,b cfg/retry-mode#standard Botocore/1.43.5\r\nX-Amz-Date: 20261116T070000Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261116/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
        f"Signature={'9f' * 32}\r\namz-sdk-invocation-id: 0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f\r\n"
        f"amz-sdk-request: attempt=1\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


GET = request(
    "GetItem", b'{"TableName": "bench", "Key": {"PK": {"S": "user#000001"}, "SK": {"S": "profile"}}}'
)
BODY = b'{"TableName": "bench", "Item": {"PK": {"S": "%b"}}}' % (b"x" * 1024)
PUT = request("PutItem", BODY)
SEGMENTS: dict[str, tuple[list[bytes], int]] = {
    "GetItem": ([GET], 1),
    "PutItem of 1 KB": ([PUT], 1),
    "10 GetItem, pipelined in one segment": ([GET * 10], 10),
    "PutItem of 1 KB, head and body in two segments, as boto3 sends them": (
        [PUT[: -len(BODY)], BODY],
        1,
    ),
    "PutItem of 1 KB in 3 segments": ([PUT[:300], PUT[300:900], PUT[900:]], 1),
}


class BareReader:
    """httptools without any checks: the lower bound of a reader's cost on top of it."""

    def __init__(self, parser: Callable[[Any], Any]) -> None:
        self._parser = parser(self)
        self._done: deque[Request] = deque()
        self._headers: dict[bytes, bytes] = {}
        self._body = b""

    def feed(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def take(self) -> Request | None:
        return self._done.popleft() if self._done else None

    def on_url(self, url: bytes) -> None:
        self._url = url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        method, keep_alive = self._parser.get_method(), self._parser.should_keep_alive()
        self._done.append(Request(method, self._url, self._headers, self._body, keep_alive))
        self._headers, self._body = {}, b""


class CheckedReader(BareReader):
    """The reader that the server needs: as strict as ours, with limits before parsing, and one request at a time.

    llhttp gets the head once it is complete and not too long, then as many bytes of the body as there are: what follows
    a request is not parsed before the request is served. Only the end of a chunked body is not found that way.
    """

    _TARGET = re.compile(rb"/[!-~]*|\*|(?i:https?)://[^/?#]+.*").fullmatch

    def __init__(self, parser: Callable[[Any], Any], error: type[Exception]) -> None:
        super().__init__(parser)
        self._error = error
        self._data = b""
        self._at = 0
        self._missing = 0
        self._is_in_head = True
        self._firsts: dict[bytes, bytes] | None = None
        self._is_target = lru_cache(maxsize=64)(self._TARGET)

    def feed(self, data: bytes) -> None:
        self._data = data if self._at == len(self._data) else self._data[self._at :] + data
        self._at = 0

    def take(self) -> Request | None:
        data, start = self._data, self._at
        if start == len(data):
            return None
        try:
            if self._is_in_head:
                if data[start] not in _FIRST_BYTES:
                    raise MalformedRequest("this is not an HTTP/1.1 request")
                end = data.find(b"\r\n\r\n", start, start + MAX_HEAD + 4)
                if end < 0:
                    if len(data) - start > MAX_HEAD:
                        raise MalformedRequest("the request line and headers are longer than 16 KB")
                    return None
                self._at = end + 4
                self._parser.feed_data(data[start : self._at])
                start = self._at
            if not self._is_in_head:
                end = start + self._missing
                body = data[start:end]
                self._at = start + len(body)
                self._missing -= len(body)
                self._parser.feed_data(body)
        except self._error as error:
            raise (error.__context__ or MalformedRequest(str(error))) from None
        return super().take()

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._is_in_head:  # a trailer
            return
        name = name.lower()
        value = value.strip()
        if name in self._headers:
            if name in (b"host", b"content-length", b"transfer-encoding"):
                raise MalformedRequest(f"there are two {name.decode()} headers")
            self._firsts = self._firsts or {}
            self._firsts.setdefault(name, self._headers[name])
            value = self._headers[name] + b"," + value
        self._headers[name] = value

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        headers, version = self._headers, self._parser.get_http_version()
        if version not in ("1.0", "1.1") or not self._is_target(self._url):
            raise MalformedRequest("this is not an HTTP/1.1 request")
        if b"host" not in headers and version == "1.1":
            raise MalformedRequest("there is no Host header")
        coding = headers.get(b"transfer-encoding")
        if coding is not None and (coding.lower() != b"chunked" or version == "1.0"):
            raise MalformedRequest("Transfer-Encoding is not chunked")
        self._missing = int(headers.get(b"content-length", b"0")) if coding is None else MAX_BODY
        if self._missing > MAX_BODY:
            raise MalformedRequest("the body is larger than 16 MB", 413)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._done[-1].firsts, self._firsts = self._firsts, None
        self._is_in_head = True


def contestants() -> dict[str, Callable[[], Reader]]:
    """Reader factories: ours, and those on httptools if it is installed."""
    readers: dict[str, Callable[[], Reader]] = {"ours": RequestReader}
    try:
        httptools = import_module("httptools")
    except ImportError:
        return readers
    readers["httptools, nothing checked"] = partial(BareReader, httptools.HttpRequestParser)
    readers["httptools, checked as ours"] = partial(
        CheckedReader, httptools.HttpRequestParser, httptools.HttpParserError
    )
    return readers


def read(reader: Reader, segments: list[bytes], count: int) -> None:
    """Feed segments, and take the requests that they contain."""
    taken = 0
    for segment in segments:
        reader.feed(segment)
        while reader.take() is not None:
            taken += 1
    assert taken == count


def accepts(make: Callable[[], Reader], data: bytes) -> bool:
    """Whether a reader takes malformed bytes for a request, or for the beginning of one."""
    reader = make()
    try:
        reader.feed(data)
        reader.take()
    except Exception:
        return False
    return True


def report(settings: Settings) -> Iterator[str]:
    """Speed of each kind of request, and the malformed requests that each reader accepts."""
    readers = contestants()
    for title, (segments, count) in SEGMENTS.items():
        runs = {name: partial(read, make(), segments, count) for name, make in readers.items()}
        yield table(title, compare(runs, CALLS // count, clock=time.process_time))
    if len(readers) == 1:
        yield "httptools is not installed: pip install httptools, and run again.\n"
    yield f"### Accepted of {len(MALFORMED)} malformed requests\n"
    for name, make in readers.items():
        accepted = [data for data in MALFORMED if accepts(make, data)]
        shown = "".join(f"\n  - `{data[:90]!r}`" for data in accepted)
        yield f"- {name}: {len(accepted)}{shown}"
    yield ""
