"""Limit on the nesting of JSON bodies, checked before they are parsed.

Python's JSON parser gives up at a depth that differs between versions of Python. A fixed limit below all of them makes
the reply the same on each. DynamoDB itself stores at most 32 levels.
"""

import re

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright_systems.web.error_replies import error_reply

MAX_DEPTH = 100

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


class JsonNestingLimit:
    """ASGI middleware that rejects bodies nested deeper than `MAX_DEPTH` with 400."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        if is_too_deep(body):
            message = f"the body is nested deeper than {MAX_DEPTH} levels"
            await error_reply(400, "bad_request", message, "body")(scope, receive, send)
            return
        await self._app(scope, _with_body(body, receive), send)


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


def _with_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first sends a body that was already read."""
    is_sent = False

    async def replay() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
