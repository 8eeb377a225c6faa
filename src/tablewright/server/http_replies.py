"""HTTP replies: HTTP/1.1 as AWS writes it, with a request ID, a checksum of the body and the date."""

import random
import time
from email.utils import formatdate
from typing import NamedTuple
from zlib import crc32

from tablewright.dynamodb.values.stored_items import to_json
from tablewright.engine.staged_replies import failed
from tablewright.errors import InternalFailure, ServiceUnavailable

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
