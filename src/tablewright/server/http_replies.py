"""Replies: HTTP/1.1 written as AWS writes it, with a request id, a checksum of the body and the date."""

import random
import time
from email.utils import formatdate
from typing import NamedTuple
from zlib import crc32

from tablewright.engine.staged_replies import failed
from tablewright.errors import InternalFailure

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
    """An answer before it is put on the wire; `headers` are further lines, each with its line end."""

    status: int
    body: bytes
    kind: bytes = AMZ_JSON
    headers: bytes = b""

    def message(self, *, keep_alive: bool = True) -> bytes:
        """The bytes to send."""
        status, body, kind, headers = self
        if not keep_alive:
            headers += b"connection: close\r\n"
        # AWS's request ids are 52 capitals and digits; clients print them, nobody reads meaning into them.
        request_id = b"%052X" % random.getrandbits(208)
        reason = _REASONS.get(status, b"Unknown")
        return _MESSAGE % (
            status,
            reason,
            _date(),
            request_id,
            crc32(body),
            kind,
            len(body),
            headers,
            body,
        )


# When something of ours broke; also to writers whose commit broke: whether it was made is not known.
BROKEN = Reply(*failed(InternalFailure("The request processing has failed because of an unknown error")))


class _Today:
    """The date as HTTP writes it, formatted once a second."""

    second = 0
    text = b""


def _date() -> bytes:
    second = int(time.time())
    if second != _Today.second:
        _Today.text = formatdate(second, usegmt=True).encode()
        _Today.second = second
    return _Today.text
