"""Guests: who may talk to a server on a developer's machine, as far as a browser is concerned.

A web page can make the browser send requests to 127.0.0.1. Two headers that scripts cannot forge give it away: Origin
says that a page is asking, and Host says by which name the page was reached, so that a page whose own name was made
to resolve to 127.0.0.1 (DNS rebinding) is known as well. Neither passes unless it was allowed by name.
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


class Guests:
    """The hosts by whose names we may be called, and the origins whose pages may call."""

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._hosts = _LOCAL | {host.lower() for host in hosts}
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._host_is_known = lru_cache(maxsize=64)(self._knows)

    def refusal(self, headers: dict[bytes, bytes]) -> AccessDenied | None:
        """Why this request may not pass, if it may not."""
        host = headers.get(b"host")
        if host is not None and not self._host_is_known(host):
            return AccessDenied(
                f"The Host header names '{_printable(host)}', which is not this server; "
                "if it is, start it with --allow-host and that name"
            )
        origin = headers.get(b"origin")
        if origin is not None and not self._admits(origin):
            return AccessDenied(
                f"Requests from web pages of '{_printable(origin)}' are not allowed; "
                "to allow them, start the server with --allow-origin and that origin"
            )
        return None

    def cors(self, request: Request) -> bytes:
        """The headers by which a browser lets an allowed page read the reply."""
        lines = b"access-control-allow-origin: *\r\n" + b"access-control-expose-headers: %b\r\n" % EXPOSED
        if request.method == b"OPTIONS":
            lines += b"access-control-max-age: %d\r\n" % MAX_AGE
            for name in (b"headers", b"method"):
                asked = request.headers.get(b"access-control-request-" + name)
                if asked:
                    lines += b"access-control-allow-%b: %b\r\n" % (
                        b"methods" if name == b"method" else name,
                        asked,
                    )
        return lines

    def _admits(self, origin: bytes) -> bool:
        return ANY in self._origins or _text(origin).lower().rstrip("/") in self._origins

    def _knows(self, host: bytes) -> bool:
        authority = _AUTHORITY.fullmatch(_text(host).lower())
        if authority is None:
            return False
        name = authority[1] or authority[2]
        # Names under .localhost cannot leave the machine (RFC 6761).
        return ANY in self._hosts or name in self._hosts or name.endswith(".localhost")


def _text(header: bytes) -> str:
    return header.decode("ascii", "replace")


def _printable(header: bytes) -> str:
    """Enough of it for a message; never to decide by, as the end of a name says whose it is."""
    return _text(header[:200])
