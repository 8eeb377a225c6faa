"""Entity tags: the version of a resource as `ETag`, and changes of exactly that version with `If-Match`.

A client reads a resource with `ETag: "3"`, and sends its change with `If-Match: "3"`. If another client has changed the
resource in the meantime, the reply is 412 and nothing is changed. Without the header, the change is made in any case.
An operation without an expected version rejects the header: a precondition is never ignored.
"""

import json
import re
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright_systems.service.errors import IfMatchUnsupported

_TAG = re.compile(r'"([0-9]{1,15})"')
NO_VERSION = -1


class EntityTags:
    """ASGI middleware that adds `ETag` to replies whose model has a version."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        start: Message | None = None
        body = b""

        async def tag(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and message["status"] < 300 and has_version(scope):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    value = f'"{json.loads(body)["version"]}"'
                    await send({**start, "headers": [*start["headers"], (b"etag", value.encode())]})
                    await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, tag)


def has_version(scope: Scope) -> bool:
    """Return whether the endpoint of a request replies with a model that has a version."""
    route = scope.get("route")
    return isinstance(route, APIRoute) and is_versioned(route.response_model)


def is_versioned(model: Any) -> bool:
    """Return whether a model has a version that its JSON shows."""
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return False
    field = model.model_fields.get("version")
    return field is not None and not field.exclude


def _version(
    if_match: Annotated[
        str | None,
        Header(description='`ETag` of the version to change, such as `"3"`; another version is a 412.'),
    ] = None,
) -> int | None:
    """Return the version of `If-Match`; None for any version, and `NO_VERSION` for a tag that is not ours."""
    if if_match is None or if_match.strip() == "*":
        return None
    tag = _TAG.fullmatch(if_match.strip())
    return int(tag[1]) if tag else NO_VERSION


ExpectedVersion = Annotated[int | None, Depends(_version)]
"""The version that `If-Match` demands, or None; the service passes it to `require_version` or to its write."""


def reject_unsupported_if_match(request: Request) -> None:
    """Raise `IfMatchUnsupported` if the endpoint has no `ExpectedVersion`; a dependency of every endpoint."""
    if "if-match" in request.headers and not _supports_if_match(request.scope["route"].dependant):
        raise IfMatchUnsupported


def _supports_if_match(dependant: Dependant) -> bool:
    return dependant.call is _version or any(map(_supports_if_match, dependant.dependencies))
