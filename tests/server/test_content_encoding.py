"""Content encodings of requests and replies. The table of Accept-Encoding is what DynamoDB was observed to do."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import InternalFailure
from tablewright.server.content_encoding import compress, inflate, preferred_encoding
from tablewright.server.http_messages import MAX_BODY, MalformedRequest


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("identity", None),
        ("br", None),
        ("x-gzip", None),
        ("gzip, deflate", "gzip"),
        ("br, identity, deflate, gzip", "deflate"),
        ("GZIP, identity", "gzip"),
        ("dog, gzip ,, cat", "gzip"),
        ("gzip;q=0.8, deflate;q=0.5", "gzip"),
        ("deflate;q=0.5, gzip;q=0.2", "deflate"),
        ("br, gzip;q=0, deflate; q = 0.5 , identity;q=0", "deflate"),
        ("*", "gzip"),
        ("*, deflate;q=0.5", "gzip"),
        ("*, deflate", "deflate"),
        ("*, gzip;q=0.5", "deflate"),
        ("gzip ;q=0", None),
        ("*;q=0", None),
        ("*;q=0.5,identity", "gzip"),
        ("br;q=0.8,identity;q=0.5,*;q=0", None),
        ('"gzip"', None),
        ("gzip br", None),
        ("gzip:q=1", None),
        ("deflate;q=0.5, gzip;q=31", "gzip"),
        ("gzip;q=31,deflate;q=51", "gzip"),
        ("deflate;q=0.5, gzip;q=1;q=0.2", "gzip"),
        ("deflate;q=0.5,gzip;q=0.", "deflate"),
        ("deflate;q=0.5,gzip;q=0.x", "gzip"),
        ("deflate;q=-0.5,gzip;q=0.2", "gzip"),
        ("gzip;q= 0;q=1", None),
        ("gzip;q =0;q=1", "gzip"),
        ("gzip;nq=0;q=1", None),
        ("gzip;q=0, gzip;q=1, gzip;q=0", "gzip"),
        ("br,identity;q=0.5,gzip;q=0.0001", "gzip"),
    ],
)
def test_the_encoding_that_dynamodb_would_choose(accepted: str, chosen: str | None) -> None:
    encoding = preferred_encoding(accepted.encode())
    assert (encoding and encoding.decode()) == chosen


@given(st.binary(max_size=200), st.sampled_from([b"gzip", b"deflate"]))
def test_there_and_back(body: bytes, encoding: bytes) -> None:
    assert inflate(compress(body, encoding), encoding) == body


def test_bodies_compressed_by_other_tools_are_read() -> None:
    assert inflate(gzip.compress(b"{}"), b"gzip") == b"{}"
    assert inflate(zlib.compress(b"{}"), b" Deflate ") == b"{}"
    assert inflate(b"{}", b"identity") == b"{}"


def test_several_gzip_files_are_joined() -> None:
    assert inflate(gzip.compress(b"{") + gzip.compress(b"}"), b"gzip") == b"{}"


def test_many_gzip_files_take_linear_time() -> None:
    """A body full of empty gzip members: copying the remaining bytes for each member would be quadratic."""
    with pytest.raises(InternalFailure):
        inflate(gzip.compress(b"") * (MAX_BODY // 20), b"gzip")


# No date in the bytes: they name the cases, and every worker of pytest-xdist has to collect the same names.
ZIPPED = gzip.compress(b"{}", mtime=0)


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"{}", b"gzip"),
        (b"", b"gzip"),
        (b"", b"deflate"),
        (ZIPPED[:-1], b"gzip"),
        (ZIPPED + b"junk", b"gzip"),
        (ZIPPED, b"deflate"),
        (b"{}", b"br"),
        (b"{}", b"gzip, gzip"),
    ],
)
def test_damaged_bodies_are_an_internal_failure_as_on_aws(body: bytes, encoding: bytes) -> None:
    with pytest.raises(InternalFailure):
        inflate(body, encoding)


def test_inflating_stops_at_the_limit() -> None:
    assert len(inflate(gzip.compress(b" " * MAX_BODY), b"gzip")) == MAX_BODY
    bombs = [
        gzip.compress(b" " * (MAX_BODY + 1)),
        gzip.compress(b" " * MAX_BODY) + gzip.compress(b" "),
        gzip.compress(b" " * (8 * MAX_BODY)),
    ]
    for bomb in bombs:
        with pytest.raises(MalformedRequest) as refused:
            inflate(bomb, b"gzip")
        assert refused.value.status == 413
