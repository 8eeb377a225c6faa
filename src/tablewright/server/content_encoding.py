"""Content encodings: gzip and deflate, in requests and replies, as DynamoDB reads and writes them.

DynamoDB answers a body that it cannot inflate with an InternalServerError, and so do we: it is the one place where
bad input gets a 5xx. It compresses a reply of more than 4 KB when the client asks for it, and reads Accept-Encoding
in a way of its own: see `preferred`.
"""

import zlib
from functools import lru_cache

from tablewright.errors import InternalFailure
from tablewright.server.http_requests import MAX_BODY, Malformed

SMALLEST_COMPRESSED = 4096
# A gzip file may be several, one after the other; after each, zlib copies all that is left.
MOST_FILES = 64

# What zlib calls its containers: 16 + 15 is gzip, 15 is zlib (which HTTP calls deflate).
_WINDOW = {b"gzip": 31, b"deflate": 15}
# The fastest: the network is this machine's own, and every other client waits.
_LEVEL = 1


def inflate(body: bytes, encoding: bytes) -> bytes:
    """A request's body as its sender wrote it, or a refusal; never more than 16 MB of it is made.

    >>> inflate(zlib.compress(b"{}"), b"deflate")
    b'{}'
    """
    window = _WINDOW.get(encoding.strip().lower())
    if window is None:
        if encoding.strip().lower() in (b"", b"identity"):
            return body
        raise InternalFailure("The request's Content-Encoding is not supported")
    whole = bytearray()
    rest = body
    for _ in range(MOST_FILES):
        stream = zlib.decompressobj(window)
        try:
            whole += stream.decompress(rest, MAX_BODY + 1 - len(whole))
        except zlib.error:
            raise _damaged() from None
        if len(whole) > MAX_BODY:
            raise Malformed("the body is larger than 16 MB", 413)
        if not stream.eof:
            raise _damaged()
        rest = stream.unused_data
        if not rest:
            return bytes(whole)
    raise _damaged()


def _damaged() -> InternalFailure:
    return InternalFailure("The request's body is not in the encoding that its Content-Encoding names")


def compress(body: bytes, encoding: bytes) -> bytes:
    """A reply's body in an encoding that `preferred` chose."""
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW[encoding])
    return stream.compress(body) + stream.flush()


@lru_cache(maxsize=128)
def preferred(accepted: bytes) -> bytes | None:
    """The encoding to answer in, or None to leave the body as it is.

    DynamoDB weighs only gzip and deflate. It never prefers `identity`, lets `*` stand for those not named, and of
    two that weigh the same takes the one named first.

    >>> preferred(b"deflate;q=0.5, gzip;q=0.2"), preferred(b"*, deflate;q=0.5"), preferred(b"br")
    (b'deflate', b'gzip', None)
    """
    named: dict[bytes, float] = {}
    anything = 0.0
    for entry in accepted.split(b","):
        name, _, parameters = entry.partition(b";")
        encoding, weight = name.strip().lower(), _weight(parameters)
        if encoding == b"*":
            anything = weight
        elif encoding in _WINDOW:
            named[encoding] = max(named.get(encoding, 0.0), weight)
    for encoding in _WINDOW:
        named.setdefault(encoding, anything)
    best = max(named, key=lambda encoding: named[encoding])
    return best if named[best] > 0 else None


def _weight(parameters: bytes) -> float:
    """The number after the first `q=`, wherever it stands; without one, or where it is no number, 1."""
    _, found, text = parameters.partition(b"q=")
    try:
        return min(float(text.partition(b";")[0]), 1.0) if found else 1.0
    except ValueError:
        return 1.0
