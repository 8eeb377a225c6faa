"""Host policy: which hosts and origins may call a server on a developer's machine, against hostile web pages.

A web page can make the browser send requests to 127.0.0.1. Two headers that scripts cannot forge reveal it: Origin
shows that a page sends the request, and Host shows the name by which the page reached the server, so that a page whose
own name resolves to 127.0.0.1 (DNS rebinding) is detected as well. Both must be allowed by name.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from tablewright.errors import AccessDenied
from tablewright.server.http_requests import Request

ANY = "*"
EXPOSED = b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"
MAX_AGE = 172800

_LOCAL = {"localhost", "127.0.0.1", "::1"}
_AUTHORITY = re.compile(r"\[([0-9a-fA-F:.]+)\](?::\d+)?|([\w.-]+)(?::\d*)?", re.ASCII)


class HostPolicy:
    """The host names that the server accepts, and the origins whose pages may call it."""

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._hosts = _LOCAL | {host.lower() for host in hosts}
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._is_host_allowed = lru_cache(maxsize=64)(self._check_host)

    def check(self, headers: dict[bytes, bytes]) -> AccessDenied | None:
        """The error for a request that is not allowed, or None."""
        host = headers.get(b"host")
        if host is not None and not self._is_host_allowed(host):
            return AccessDenied(
                f"The Host header names '{_printable(host)}', which is not this server; "
                "if it is, start it with --allow-host and that name"
            )
        origin = headers.get(b"origin")
        if origin is not None and not self._is_origin_allowed(origin):
            return AccessDenied(
                f"Requests from web pages of '{_printable(origin)}' are not allowed; "
                "to allow them, start the server with --allow-origin and that origin"
            )
        return None

    def cors_headers(self, request: Request) -> bytes:
        """The header lines that make a browser let an allowed page read the reply."""
        lines = b"access-control-allow-origin: *\r\n" + b"access-control-expose-headers: %b\r\n" % EXPOSED
        if request.method == b"OPTIONS":
            lines += b"access-control-max-age: %d\r\n" % MAX_AGE
            for name in (b"headers", b"method"):
                requested = request.headers.get(b"access-control-request-" + name)
                if requested:
                    lines += b"access-control-allow-%b: %b\r\n" % (
                        b"methods" if name == b"method" else name,
                        requested,
                    )
        return lines

    def _is_origin_allowed(self, origin: bytes) -> bool:
        return ANY in self._origins or _text(origin).lower().rstrip("/") in self._origins

    def _check_host(self, host: bytes) -> bool:
        authority = _AUTHORITY.fullmatch(_text(host).lower())
        if authority is None:
            return False
        name = authority[1] or authority[2]
        # Names under .localhost cannot leave the machine (RFC 6761).
        return ANY in self._hosts or name in self._hosts or name.endswith(".localhost")


def _text(header: bytes) -> str:
    return header.decode("ascii", "replace")


def _printable(header: bytes) -> str:
    """The beginning of a header, for messages only: decisions need the end of the name as well."""
    return _text(header[:200])
