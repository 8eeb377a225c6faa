"""Every test checks on the way that an API sends only errors that its operation declares."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.types import Message, Receive, Scope, Send
from tablewright_systems.web.entity_tags import EntityTags

DECLARED = {403, 404, 409, 410, 429}
"""Statuses that an operation declares itself; the others follow from its form, and are in every document."""


@contextmanager
def only_declared_errors() -> Iterator[None]:
    """Fail requests whose reply has a status that the OpenAPI document of the operation lacks."""
    handle = EntityTags.__call__

    async def check(tags: EntityTags, scope: Scope, receive: Receive, send: Send) -> None:
        async def watch(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if is_start and (problem := undeclared(scope, message["status"])):
                pytest.fail(problem)  # no `Exception`, so the API does not turn it into a reply
            await send(message)

        await handle(tags, scope, receive, watch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EntityTags, "__call__", check)
        yield


def undeclared(scope: Scope, status: int) -> str | None:
    """Describe a reply whose status its operation does not declare."""
    route = scope.get("route")
    if status not in DECLARED or not isinstance(route, APIRoute) or not route.include_in_schema:
        return None
    declared = declared_statuses(scope["app"]).get(id(route), set())
    if status in declared or (status == 409 and scope["method"] == "POST"):
        return None
    return f"{scope['method']} {route.path} sends {status}, and declares {sorted(declared)}: add it to `problems`"


@cache
def declared_statuses(app: FastAPI) -> dict[int, set[int]]:
    return {
        id(context.original_route): {int(status) for status in context.responses}
        for context in iter_route_contexts(app.routes)
        if isinstance(context.original_route, APIRoute)
    }
