"""Cross-origin requests: which web pages of other origins may call the APIs. Without configuration, none may."""

import re
from collections.abc import Sequence

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
REQUEST_HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "If-Match"]
REPLY_HEADERS = ["ETag", "Idempotency-Replayed", "Retry-After", "WWW-Authenticate"]
"""Headers that scripts of other origins may read."""

_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]+)?")


def cors(origins: Sequence[str]) -> list[Middleware]:
    """Return the middleware that allows requests of web pages of these origins; none without origins.

    >>> len(cors(["https://app.example.org"])), cors([])
    (1, [])
    """
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"an origin must be like https://app.example.org, without a path, got {origin!r}"
            )
    if not origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=METHODS,
            allow_headers=REQUEST_HEADERS,
            expose_headers=REPLY_HEADERS,
            max_age=600,
        )
    ]
