"""HTTP requests: parsed the same way however the bytes are split, and rejected where they are ambiguous."""

import contextlib
import re
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.values.stored_items import LARGE
from tablewright.server.http_messages import (
    INTERNAL_FAILURE,
    MAX_BODY,
    MAX_HEAD,
    MalformedRequest,
    Reply,
    Request,
    RequestReader,
)
from tests.server.malformed_requests import MALFORMED

bodies = st.binary(max_size=40)


@st.composite
def messages(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A request as bytes, and its body."""
    if draw(st.booleans()):
        body = draw(bodies)
        return b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body), body
    pieces = draw(st.lists(st.binary(min_size=1, max_size=20), max_size=4))
    extension = draw(st.sampled_from([b"", b";name=value"]))
    trailer = draw(st.sampled_from([b"", b"Trailing: header\r\n"]))
    chunks = b"".join(b"%x%b\r\n%b\r\n" % (len(piece), extension, piece) for piece in pieces)
    head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + chunks + b"0\r\n" + trailer + b"\r\n", b"".join(pieces)


def taken(reader: RequestReader) -> Iterator[Request]:
    while (request := reader.take()) is not None:
        yield request


@given(st.lists(messages(), min_size=1, max_size=4), st.lists(st.integers(1, 50), min_size=1))
def test_requests_are_parsed_the_same_however_the_bytes_are_split(
    sent: list[tuple[bytes, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(message for message, _ in sent)
    reader = RequestReader()
    found: list[bytes] = []
    while stream:
        cut = cuts[len(stream) % len(cuts)]
        reader.feed(stream[:cut])
        stream = stream[cut:]
        found.extend(request.body for request in taken(reader))
    assert found == [body for _, body in sent]
    assert reader.is_idle
    assert reader.buffered_bytes == 0


@given(st.binary(max_size=400))
def test_random_bytes_are_rejected_or_incomplete(data: bytes) -> None:
    reader = RequestReader()
    reader.feed(data)
    with contextlib.suppress(MalformedRequest):
        list(taken(reader))


def read(data: bytes) -> Request:
    reader = RequestReader()
    reader.feed(data)
    request = reader.take()
    assert request is not None
    request.load_body()
    return request


@pytest.mark.parametrize("size", [LARGE, LARGE + 1])
def test_a_large_body_in_pieces_is_copied_only_when_it_is_loaded(size: int) -> None:
    reader = RequestReader()
    reader.feed(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\nx" % size)
    assert reader.take() is None
    reader.feed(b"x" * (size - 1) + b"GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    request = reader.take()
    assert request is not None
    assert (len(request.body), request.size) == (0 if size > LARGE else size, size)
    request.load_body()
    assert (request.body, request.size) == (b"x" * size, size)
    following = reader.take()
    assert following is not None
    assert following.target == b"/next"


@pytest.mark.parametrize("data", MALFORMED)
def test_malformed_requests_are_rejected(data: bytes) -> None:
    with pytest.raises(MalformedRequest) as error:
        read(data)
    assert error.value.status == 400


def head_of(size: int) -> bytes:
    """A request whose request line and headers have that size."""
    start = b"GET / HTTP/1.1\r\nHost: h\r\nLong: "
    return start + b"x" * (size - len(start)) + b"\r\n\r\n"


def test_the_head_has_a_limit() -> None:
    assert read(head_of(MAX_HEAD)).method == b"GET"
    for data in (head_of(MAX_HEAD + 1), head_of(MAX_HEAD + 1)[:-4], b"X" * (MAX_HEAD + 1)):
        with pytest.raises(MalformedRequest, match="longer than 16 KB"):
            read(data)


@pytest.mark.parametrize("size", [MAX_BODY - 1, MAX_BODY])
def test_a_body_up_to_the_limit_is_read(size: int) -> None:
    body = b"x" * size
    assert read(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%b" % (size, body)).body == body
    half = b"x" * (size // 2)
    rest = b"x" * (size - size // 2)
    chunks = b"%x\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(half), half, len(rest), rest)
    assert read(b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks).body == body


@pytest.mark.parametrize(
    "data",
    [
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1),
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % (MAX_BODY + 1),
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n%x\r\n" % MAX_BODY,
    ],
)
def test_a_body_over_the_limit_is_rejected_before_it_arrives(data: bytes) -> None:
    with pytest.raises(MalformedRequest) as error:
        read(data)
    assert error.value.status == 413


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"GET / HTTP/1.1\r\nHost: h\r\n", True),
        (b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n", False),
        (b"GET / HTTP/1.1\r\nHost: h\r\nConnection: Keep-Alive, Close\r\n", False),
        (b"GET / HTTP/1.0\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n", True),
    ],
)
def test_keep_alive(head: bytes, expected: bool) -> None:
    assert read(head + b"\r\n").keep_alive is expected


def test_a_repeated_header_is_joined_and_remembers_its_first_value() -> None:
    request = read(b"GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\na:  2 \r\nB: 3\r\n\r\n")
    assert request.headers == {b"host": b"h", b"a": b"1,2", b"b": b"3"}
    assert request.first(b"a") == b"1"
    assert request.first(b"b") == b"3"


def test_expect_100_continue() -> None:
    reader = RequestReader()
    reader.feed(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert reader.take() is None
    assert reader.expects_continue
    reader.feed(b"{}")
    request = reader.take()
    assert request is not None
    assert request.body == b"{}"
    assert not reader.expects_continue


@pytest.mark.parametrize("data", [data for data in MALFORMED if b"Host: h" in data])
def test_malformed_requests_are_rejected_after_valid_ones(data: bytes) -> None:
    """Header lines that were parsed before are cached: the checks must not depend on it."""
    reader = RequestReader()
    for _ in range(2):
        reader.feed(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nA: b\r\n\r\na")
        assert reader.take() is not None
    reader.feed(data)
    with pytest.raises(MalformedRequest):
        reader.take()


@pytest.mark.parametrize("cut", [1, 54, 56, 57])
def test_a_body_may_arrive_in_segments_of_its_own(cut: int) -> None:
    data = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nX: yyyy\r\n\r\nabcGET /next HTTP/1.1\r\nHost: h\r\n\r\n"
    assert data.index(b"abc") == 56
    reader = RequestReader()
    reader.feed(data[:cut])
    assert reader.take() is None
    assert not reader.is_idle
    reader.feed(data[cut:])
    assert [request.body for request in taken(reader)] == [b"abc", b""]
    assert reader.is_idle


def test_tiny_chunks_take_linear_time() -> None:
    """250,000 chunks of one byte: to cut the rest off after each would copy gigabytes."""
    count = 250_000
    reader = RequestReader()
    reader.feed(
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1\r\nx\r\n" * count
        + b"0\r\n\r\n"
    )
    request = reader.take()
    assert request is not None
    assert request.body == b"x" * count


@pytest.mark.parametrize(
    ("target", "host", "path", "query"),
    [
        (b"http://localhost:8000/", b"localhost:8000", b"/", b""),
        (b"http://localhost", b"localhost", b"/", b""),
        (b"HTTPS://[::1]:8000/a?b=/c", b"[::1]:8000", b"/a", b"b=/c"),
        (b"http://localhost?a=b", b"localhost", b"/", b"a=b"),
        (b"http://us@elsewhere/", b"us@elsewhere", b"/", b""),
        (b"/http://elsewhere/", b"h", b"/http://elsewhere/", b""),
        (b"*", b"h", b"*", b""),
    ],
)
def test_an_absolute_target_overrides_the_host_header(
    target: bytes, host: bytes, path: bytes, query: bytes
) -> None:
    request = read(b"GET %b HTTP/1.1\r\nHost: h\r\n\r\n" % target)
    assert (request.headers[b"host"], request.path, request.query) == (host, path, query)


def test_http_1_0_needs_no_host() -> None:
    assert b"host" not in read(b"GET / HTTP/1.0\r\n\r\n").headers


def test_a_reply_has_the_headers_of_aws() -> None:
    head, _, body = Reply(200, b'{"a":1}', headers=b"x: y\r\n").message().partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert (status, body) == ("HTTP/1.1 200 OK", b'{"a":1}')
    assert headers["content-type"] == "application/x-amz-json-1.0"
    assert headers["content-length"] == "7"
    assert headers["x-amz-crc32"] == str(zlib.crc32(body))
    assert headers["x"] == "y"
    assert re.fullmatch("[0-9A-F]{52}", headers["x-amzn-requestid"])
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", headers["date"])
    assert "connection" not in headers


def test_the_last_reply_of_a_connection_says_so() -> None:
    assert b"\r\nconnection: close\r\n" in Reply(404, b"").message(keep_alive=False)


def test_a_failure_is_an_internal_server_error() -> None:
    assert INTERNAL_FAILURE.status == 500
    assert b"#InternalServerError" in INTERNAL_FAILURE.body
