"""Limits of request bodies, checked before they are parsed: size, content type, nesting.

Python's JSON parser gives up at a depth that differs between versions of Python. A fixed limit below all of them makes
the reply the same on each. DynamoDB itself stores at most 32 levels, and 400 KB in an item.
"""

import re

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright_systems.web.error_replies import error_reply

MAX_DEPTH = 100
MAX_SIZE = 1024 * 1024

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


class BodyLimits:
    """ASGI middleware that rejects bodies that are too large (413), not JSON (415) or nested too deeply (400)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            body = await _read(request)
        except ClientDisconnect:
            return
        if body is None:
            reply = error_reply(413, "too_large", f"the body is larger than {MAX_SIZE} bytes", "body")
        elif body and not _is_json(request.headers.get("content-type", "")):
            reply = error_reply(
                415, "unsupported_content_type", "send JSON with the header Content-Type: application/json"
            )
        elif is_too_deep(body):
            reply = error_reply(
                400, "bad_request", f"the body is nested deeper than {MAX_DEPTH} levels", "body"
            )
        else:
            await self._app(scope, with_body(body, receive), send)
            return
        await reply(scope, receive, send)


async def _read(request: Request) -> bytes | None:
    """Return the whole body, or None if it is too large."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > MAX_SIZE:
        return None
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_SIZE:
            return None
    return bytes(body)


def _is_json(content_type: str) -> bool:
    """Whether a content type is JSON.

    >>> _is_json("application/json; charset=utf-8"), _is_json("application/cloudevents+json"), _is_json("text/plain")
    (True, True, False)
    """
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def is_too_deep(body: bytes) -> bool:
    """Whether brackets outside of strings are nested deeper than `MAX_DEPTH`.

    >>> is_too_deep(b"[" * 101), is_too_deep(b"[]" * 101), is_too_deep(b'"' + b"[" * 101 + b'"')
    (True, False, False)
    """
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def with_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first sends a body that was already read."""
    is_sent = False

    async def replay() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
