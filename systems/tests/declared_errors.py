"""Every test checks on the way that an operation raises only errors that it declares.

Replies of the APIs are checked as they are sent. The proofs call the functions of the services themselves: the errors
that they expect are checked against what the function declares as an endpoint.
"""

import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import CodeType

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.types import Message, Receive, Scope, Send
from tablewright_systems.registry import SYSTEMS
from tablewright_systems.service import ApiError
from tablewright_systems.verification import proofs
from tablewright_systems.web.entity_tags import EntityTags
from tablewright_systems.web.error_replies import first_failure, store_reply

from tablewright import errors

DECLARED = {403, 404, 409, 410, 429}
"""Statuses that an operation declares itself; the others follow from its form, and are in every document."""


@contextmanager
def only_declared_errors() -> Iterator[None]:
    """Fail requests whose reply, and proofs whose error, has a status that the operation does not declare."""
    handle = EntityTags.__call__

    async def check(tags: EntityTags, scope: Scope, receive: Receive, send: Send) -> None:
        async def watch(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if is_start and (problem := undeclared(scope, message["status"])):
                pytest.fail(problem)  # no `Exception`, so the API does not turn it into a reply
            await send(message)

        await handle(tags, scope, receive, watch)

    record = proofs._record

    def check_expected(error: Exception, field: str | None) -> None:
        if problem := undeclared_error(error):
            pytest.fail(problem)
        record(error, field)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EntityTags, "__call__", check)
        patch.setattr(proofs, "_record", check_expected)
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


def undeclared_error(error: Exception) -> str | None:
    """Describe an error that the called endpoint does not declare; None if no endpoint was called."""
    if isinstance(error, ApiError):
        status = error.status
    elif isinstance(error, errors.TablewrightError):
        status = store_reply(type(first_failure(error))).status
    else:
        return None
    codes = (frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
    called = next((code for code in codes if code in endpoint_statuses()), None)
    if called is None or status not in DECLARED or status in endpoint_statuses()[called]:
        return None
    return f"{called.co_qualname} raises {type(error).__name__}: add {status} to its `problems`"


@cache
def endpoint_statuses() -> dict[CodeType, set[int]]:
    """Return the declared statuses of the endpoints by their code; of a function with two routes, those of both."""
    statuses: dict[CodeType, set[int]] = {}
    for system in SYSTEMS:
        router = import_module(f"tablewright_systems.{system.name}.api").router
        for context in iter_route_contexts(router.shared_routes):
            if isinstance(context.original_route, APIRoute):
                code = inspect.unwrap(context.original_route.endpoint).__code__
                usual = {409} if "POST" in (context.methods or ()) else set()
                statuses.setdefault(code, usual).update(int(status) for status in context.responses)
    return statuses
