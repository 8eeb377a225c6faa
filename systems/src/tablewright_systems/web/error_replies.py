"""Error replies: every error of an API is a problem detail as RFC 9457 defines it, with a stable code.

HTTP/1.1 404 Not Found
Content-Type: application/problem+json

{"type": "urn:tablewright:problem:not_found", "title": "Not found", "status": 404,
 "detail": "board b1 was not found", "code": "not_found"}

For each class of `tablewright.errors` there is a status, a code, and what clients read. A class that is not listed is
treated as its base class. An error that only a defect of the system or of its operation can cause has the code
"internal": its text is logged, and not sent.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from secrets import token_hex
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import Field, ValidationError
from pydantic.alias_generators import to_camel
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright import errors
from tablewright_systems.service.errors import ApiError, TooManyRequests, Unauthenticated
from tablewright_systems.service.schemas import View, problem_text

PROBLEM = "application/problem+json"
"""Content type of every error reply."""

# The class in "Person.name: ...".
_CLASS = re.compile(r"\b[A-Z]\w*\.(?=\w+: )")

log = logging.getLogger("tablewright.systems")


class FieldProblem(View):
    """One invalid field of a request."""

    field: str = Field(description="Path of the field, such as `config.ttlDays`.")
    detail: str = Field(description="Why its value is invalid, for people.")


class Problem(View):
    """Body of every reply that reports an error (RFC 9457)."""

    type: str = Field(description="URI of the kind of error; it ends with the code.")
    title: str = Field(description="Kind of the error, for people.")
    status: int = Field(description="HTTP status.")
    detail: str = Field(description="What happened to this request, for people.")
    code: str = Field(description="Stable name of the error, for programs.")
    field: str | None = Field(default=None, description="The part of the request to change, if there is one.")
    errors: list[FieldProblem] | None = Field(
        default=None, description="All invalid fields of the request; only with the code `invalid`."
    )
    request_id: str | None = Field(
        default=None, description="ID of the request in the server's log; only with the status 500."
    )


class ProblemReply(JSONResponse):
    """A reply that reports an error."""

    media_type = PROBLEM


_TITLES = {
    400: "Malformed request",
    401: "Authentication required",
    403: "Permission denied",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    409: "Conflict with the current state",
    410: "Expired or used up",
    412: "Changed since it was read",
    413: "Body too large",
    415: "Unsupported content type",
    422: "Invalid request",
    429: "Too many requests",
    500: "Internal error",
    503: "Temporarily unavailable",
}
_CODES = {
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_content_type",
}


def title_of(status: int) -> str:
    """Return the title of the problems with a status."""
    return _TITLES.get(status) or HTTPStatus(status).phrase


def error_reply(status: int, code: str, detail: str, field: str | None = None, **more: Any) -> ProblemReply:
    """Build an error reply.

    >>> error_reply(404, "not_found", "board b1 was not found").media_type
    'application/problem+json'
    """
    problem = Problem(
        type=f"urn:tablewright:problem:{code}",
        title=title_of(status),
        status=status,
        detail=detail,
        code=code,
        field=field,
        **more,
    )
    reply = ProblemReply(problem.model_dump(by_alias=True, exclude_none=True), status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        reply.headers["retry-after"] = "1"
    return reply


def add_error_replies(app: FastAPI) -> None:
    """Make an application reply to errors in this form."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(errors.TablewrightError, _store_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ValidationError, _invalid)
    app.add_exception_handler(OverflowError, _overflow)
    app.add_exception_handler(HTTPException, _framework_error)


class UnexpectedErrors:
    """ASGI middleware that replies 500 to an exception without a handler, and logs it with its traceback.

    The reply has an ID and no other details; the log has the same ID.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        has_started = False

        async def watch(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except Exception as error:
            if scope["type"] != "http" or has_started:
                raise
            await _internal_error(scope["method"], scope["path"], error)(scope, receive, send)


def _internal_error(method: str, path: str, error: Exception) -> ProblemReply:
    request_id = token_hex(8)
    log.error("%s %s failed, request %s", method, path, request_id, exc_info=error)
    detail = f"the request failed unexpectedly; the server's log has details under {request_id}"
    return error_reply(500, "internal", detail, request_id=request_id)


def _api_error(request: Request, error: Exception) -> ProblemReply:
    assert isinstance(error, ApiError)
    return api_error_reply(error)


def api_error_reply(error: ApiError) -> ProblemReply:
    """Return the reply to an error of a service.

    >>> api_error_reply(Unauthenticated("send a token")).headers["www-authenticate"]
    'Bearer'
    """
    reply = error_reply(error.status, error.code, error.message, error.field and _camel(error.field))
    if isinstance(error, TooManyRequests):
        reply.headers["retry-after"] = str(error.retry_after)
    if isinstance(error, Unauthenticated):
        reply.headers["www-authenticate"] = "Bearer"
    return reply


def _store_error(request: Request, error: Exception) -> ProblemReply:
    assert isinstance(error, errors.TablewrightError)
    failure = first_failure(error)
    reply = store_reply(type(failure))
    if reply.code == "internal":
        return _internal_error(request.method, request.url.path, error)
    if reply.status == HTTPStatus.INTERNAL_SERVER_ERROR or reply.code == "unavailable":
        log.error("%s %s failed: %s", request.method, request.url.path, failure)
    field = "cursor" if reply.code == "bad_cursor" else getattr(failure, "field", None)
    text = reply.message or _CLASS.sub("", str(failure))
    return error_reply(reply.status, reply.code, text, field and _camel(field))


def _invalid(request: Request, error: Exception) -> ProblemReply:
    """A value does not fit its field, in the request's model or in the pattern or entity it was passed to."""
    assert isinstance(error, RequestValidationError | ValidationError)
    invalid = error.errors()
    if invalid[0]["type"] == "json_invalid":
        return error_reply(400, "bad_request", "the body is not valid JSON", "body")
    problems = [
        FieldProblem(field=_path(problem) or "body", detail=problem_text(problem)) for problem in invalid
    ]
    first = problems[0]
    detail = first.detail if first.field == "body" else f"{first.field}: {first.detail}"
    return error_reply(422, "invalid", detail, first.field, errors=problems)


def _overflow(request: Request, error: Exception) -> ProblemReply:
    """A date near the end of the calendar overflows when it is moved by a day or converted to UTC."""
    return error_reply(422, "invalid", f"a value is out of range: {error}")


def _framework_error(request: Request, error: Exception) -> ProblemReply:
    """An unknown path, a method that the path does not support, or an unreadable body."""
    assert isinstance(error, HTTPException)
    reply = error_reply(error.status_code, _CODES.get(error.status_code, "bad_request"), str(error.detail))
    reply.headers.update(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        reply.headers["allow"] = ", ".join(sorted(_methods(request)))
    return reply


def _methods(request: Request) -> set[str]:
    """Return the methods of all routes of a path; those of a file of the pages have no route."""
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    methods = {
        method
        for route in iter_route_contexts(request.app.routes)
        if isinstance(route.original_route, Route) and route.path_regex.match(path)
        for method in route.methods or ()
    }
    return methods | {"HEAD"} if "GET" in methods else methods or {"GET", "HEAD"}


def _path(problem: Mapping[str, Any]) -> str:
    """Return the path of a field; an unknown field has the name that the client sent."""
    location = problem["loc"]
    parts = location[1:] if location and location[0] in ("body", "query", "path", "header") else location
    is_unknown = problem["type"] == "extra_forbidden"
    return ".".join(str(part) if is_unknown else _camel(str(part)) for part in parts)


def _camel(name: str) -> str:
    """Return a field's name as requests have it.

    >>> _camel("user_name"), _camel("userName"), _camel("config.ttl_days"), _camel("Idempotency-Key")
    ('userName', 'userName', 'config.ttlDays', 'Idempotency-Key')
    """
    return ".".join(to_camel(part) if part.islower() and "_" in part else part for part in name.split("."))


@dataclass(frozen=True, slots=True)
class StoreReply:
    """Reply to one class of errors."""

    status: int
    code: str
    message: str | None = None
    """What clients read; None: the text of the error. A text that names a class or a key needs a message."""


_BAD_CURSOR = (
    "the cursor is damaged, or belongs to another list or other parameters; start again from the first page"
)
_UNKNOWN_OUTCOME = "the change was made or was not; read the resource to find out"


def _conflict(message: str) -> StoreReply:
    return StoreReply(409, "conflict", message)


CONFLICT = StoreReply(409, "conflict")
INVALID = StoreReply(422, "invalid")
BUSY = StoreReply(503, "busy", "the store is busy; try again")
UNAVAILABLE = StoreReply(503, "unavailable", "the store cannot be used now; try again later")
INTERNAL = StoreReply(500, "internal")
UNREADABLE = StoreReply(500, "unreadable_item")

_REPLIES: dict[type[errors.TablewrightError], StoreReply] = {
    errors.TablewrightError: INTERNAL,
    # Reads
    errors.BadCursor: StoreReply(422, "bad_cursor", _BAD_CURSOR),
    errors.UnknownItem: UNREADABLE,
    errors.SeveralFound: StoreReply(500, "several_found"),
    errors.SecretAltered: UNREADABLE,
    errors.SecretShredded: UNREADABLE,
    # Writes
    errors.WriteError: _conflict("the change contradicts the current state"),
    errors.AlreadyExists: _conflict("it already exists"),
    errors.UniqueViolation: _conflict("this value is already taken"),
    errors.CopyBlocked: _conflict("it already exists"),
    errors.DoesNotExist: StoreReply(404, "not_found", "it was not found"),
    errors.VersionConflict: StoreReply(
        409, "version_conflict", "another request has changed it in the meantime; read it again"
    ),
    errors.Contended: BUSY,
    errors.TransactionFailed: _conflict("the change contradicts the current state"),
    errors.InvalidWrite: INVALID,
    errors.BatchUnfinished: BUSY,
    errors.DeletionUnfinished: StoreReply(
        503, "unfinished", "it is not deleted with all its data; send the request again"
    ),
    errors.OutcomeUnknown: StoreReply(503, "unknown_outcome", _UNKNOWN_OUTCOME),
    # Values
    errors.KeyValueError: INVALID,
    errors.ValueNotStorable: INVALID,
    # DynamoDB
    errors.ValidationError: INVALID,
    errors.ConditionalCheckFailed: CONFLICT,
    errors.TransactionCanceled: CONFLICT,
    errors.DuplicateItem: CONFLICT,
    errors.ItemCollectionSizeLimitExceeded: CONFLICT,
    errors.TransactionConflict: BUSY,
    errors.TransactionInProgress: BUSY,
    errors.ProvisionedThroughputExceeded: BUSY,
    errors.RequestLimitExceeded: BUSY,
    errors.Throttling: BUSY,
    errors.LimitExceeded: BUSY,
    errors.InternalFailure: UNAVAILABLE,
    errors.ServiceUnavailable: UNAVAILABLE,
    errors.ResourceNotFound: UNAVAILABLE,
    errors.ResourceInUse: UNAVAILABLE,
    errors.AccessDenied: UNAVAILABLE,
    errors.UnrecognizedClient: UNAVAILABLE,
    errors.Unreachable: UNAVAILABLE,
    errors.StoreError: UNAVAILABLE,
    errors.KeyringError: UNAVAILABLE,
}


def store_reply(kind: type[errors.TablewrightError]) -> StoreReply:
    """Return the reply to a class of errors.

    >>> store_reply(errors.UniqueViolation)
    StoreReply(status=409, code='conflict', message='this value is already taken')
    """
    return next(_REPLIES[base] for base in kind.__mro__ if base in _REPLIES)


def first_failure(error: errors.TablewrightError) -> errors.TablewrightError:
    """Return the error of the first write of a transaction that failed, or the error itself."""
    if isinstance(error, errors.TransactionFailed):
        return next((failure for failure in error.failures if failure is not None), error)
    return error
