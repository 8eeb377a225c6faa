"""Content encodings: gzip and deflate, in requests and replies, as DynamoDB reads and writes them.

DynamoDB replies to a body that it cannot decompress with an InternalServerError, and so does this server: it is the
only case where bad input gets a 5xx. It compresses a reply of more than 4 KB when the client accepts it, and reads
Accept-Encoding in its own way: see `preferred_encoding`.
"""

import zlib
from functools import lru_cache

from tablewright.errors import InternalFailure
from tablewright.server.http_messages import MAX_BODY, MalformedRequest

SMALLEST_COMPRESSED = 4096
# A gzip stream may consist of several files; after each, zlib copies the rest.
MAX_FILES = 64

# zlib's window sizes: 16 + 15 is gzip, 15 is zlib (which HTTP calls deflate).
_WINDOW = {b"gzip": 31, b"deflate": 15}
# The fastest level: the network is local, and other clients wait.
_LEVEL = 1


class LargeBody(Exception):
    """A body that takes too long for the event loop: to copy, hash, decompress or parse."""


def inflate(body: bytes, encoding: bytes, largest: int = MAX_BODY) -> bytes:
    """The decompressed body of a request; an error if it is damaged or larger than 16 MB.

    If it is larger than `largest`, it is not decompressed further, but LargeBody is raised.

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
    for _ in range(MAX_FILES):
        stream = zlib.decompressobj(window)
        try:
            whole += stream.decompress(rest, largest + 1 - len(whole))
        except zlib.error:
            raise _damaged() from None
        if len(whole) > largest:
            if largest < MAX_BODY:
                raise LargeBody
            raise MalformedRequest("the body is larger than 16 MB", 413)
        if not stream.eof:
            raise _damaged()
        rest = stream.unused_data
        if not rest:
            return bytes(whole)
    raise _damaged()


def _damaged() -> InternalFailure:
    return InternalFailure("The request's body is not in the encoding that its Content-Encoding names")


def compress(body: bytes, encoding: bytes) -> bytes:
    """A reply's body in an encoding that `preferred_encoding` chose."""
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW[encoding])
    return stream.compress(body) + stream.flush()


@lru_cache(maxsize=128)
def preferred_encoding(accepted: bytes) -> bytes | None:
    """The encoding for the reply, or None to leave the body uncompressed.

    DynamoDB considers only gzip and deflate. It never prefers `identity`, applies `*` to the encodings not named, and
    of two with the same weight takes the one named first.

    >>> preferred_encoding(b"deflate;q=0.5, gzip;q=0.2"), preferred_encoding(b"*, deflate;q=0.5")
    (b'deflate', b'gzip')
    >>> preferred_encoding(b"br")
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
    """The number after the first `q=`, wherever it is; 1 if it is missing or not a number."""
    _, separator, text = parameters.partition(b"q=")
    try:
        return min(float(text.partition(b";")[0]), 1.0) if separator else 1.0
    except ValueError:
        return 1.0
