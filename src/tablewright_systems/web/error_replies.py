"""Error replies: every error of an API has the same JSON body, with a stable code and a message.

{"error": {"code": "not_found", "message": "board b1 was not found", "field": null}}
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from tablewright import errors
from tablewright_systems.service.errors import ApiError, TooManyRequests, Unauthenticated


class ErrorDetail(BaseModel):
    """Code, message and cause of an error."""

    code: str = Field(description="Stable name of the error, for programs.")
    message: str = Field(description="Explanation of the error, for people.")
    field: str | None = Field(default=None, description="The part of the request to change, if there is one.")


class ErrorReply(BaseModel):
    """Body of every reply that reports an error."""

    error: ErrorDetail


def _documented(
    description: str, code: str, message: str, field: str | None = None, *, retry_after: bool = False
) -> dict[str, Any]:
    """OpenAPI description of an error reply, with an example."""
    example = {"error": {"code": code, "message": message, "field": field}}
    reply: dict[str, Any] = {
        "model": ErrorReply,
        "description": description,
        "content": {"application/json": {"example": example}},
    }
    if retry_after:
        seconds = {"description": "Seconds to wait before the next attempt.", "schema": {"type": "integer"}}
        reply["headers"] = {"Retry-After": seconds}
    return reply


RESPONSES: dict[int | str, dict[str, Any]] = {
    400: _documented("Malformed request", "bad_request", "the body is not valid JSON", "body"),
    401: _documented(
        "Authentication required", "unauthenticated", "send a token: Authorization: Bearer <token>"
    ),
    403: _documented("Permission denied", "forbidden", "the caller may not change this resource"),
    404: _documented("Resource not found", "not_found", "the resource was not found"),
    409: _documented("Conflict with the current state", "conflict", "the name is already taken", "name"),
    422: _documented("Invalid request", "invalid", "name: String should have at least 3 characters", "name"),
    503: _documented("Temporarily unavailable", "busy", "the store is busy; try again", retry_after=True),
}
"""Error replies that every endpoint can send."""

TOO_MANY_REQUESTS: dict[int | str, dict[str, Any]] = {
    429: _documented(
        "Too many requests", "too_many", "rate limit exceeded; try again in 30 s", retry_after=True
    )
}
"""For endpoints with a rate limit."""

GONE: dict[int | str, dict[str, Any]] = {
    410: _documented("Expired or used up", "gone", "the link has expired")
}
"""For endpoints that take something with an expiry."""

# Status and code for errors of the store; subclasses before their base classes.
_STORE_ERRORS: Sequence[tuple[type[Exception], int, str]] = (
    (errors.DoesNotExist, 404, "not_found"),
    (errors.Contended, 503, "busy"),
    (errors.WriteError, 409, "conflict"),
    (errors.TransactionFailed, 409, "conflict"),
    (errors.BadCursor, 422, "bad_cursor"),
    (errors.KeyValueError, 422, "invalid"),
    (errors.InvalidWrite, 422, "invalid"),
    (errors.ValidationError, 422, "invalid"),
    (errors.ValueNotStorable, 422, "invalid"),
    (errors.ProvisionedThroughputExceeded, 503, "busy"),
    (errors.RequestLimitExceeded, 503, "busy"),
    (errors.Throttling, 503, "busy"),
    (errors.OutcomeUnknown, 503, "unknown_outcome"),
    (errors.Unreachable, 503, "unavailable"),
)

_FIELDS = {"bad_cursor": "cursor"}
_CODES: dict[int, str] = {
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
}


def add_error_replies(app: FastAPI) -> None:
    """Make an application reply to errors in this form."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(errors.TablewrightError, _store_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ValidationError, _invalid)
    app.add_exception_handler(OverflowError, _overflow)
    app.add_exception_handler(HTTPException, _framework_error)


def error_reply(status: int, code: str, message: str, field: str | None = None) -> JSONResponse:
    """Build an error reply."""
    detail = ErrorDetail(code=code, message=message, field=field)
    return JSONResponse(ErrorReply(error=detail).model_dump(), status)


def _api_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)
    reply = error_reply(error.status, error.code, error.message, error.field)
    if isinstance(error, TooManyRequests):
        reply.headers["retry-after"] = str(error.retry_after)
    if isinstance(error, Unauthenticated):
        reply.headers["www-authenticate"] = "Bearer"
    return reply


def _store_error(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, errors.TransactionFailed):
        error = next((each for each in error.failures if each is not None), error)
    for kind, status, code in _STORE_ERRORS:
        if isinstance(error, kind):
            reply = error_reply(status, code, str(error), _FIELDS.get(code) or getattr(error, "field", None))
            if status == HTTPStatus.SERVICE_UNAVAILABLE:
                reply.headers["retry-after"] = "1"
            return reply
    raise error


def _invalid(request: Request, error: Exception) -> JSONResponse:
    """A value does not fit its field, in the request's model or in the pattern or entity it was passed to."""
    assert isinstance(error, RequestValidationError | ValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return error_reply(400, "bad_request", "the body is not valid JSON", "body")
    field = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return error_reply(422, "invalid", f"{field}: {first['msg']}" if field else first["msg"], field or "body")


def _overflow(request: Request, error: Exception) -> JSONResponse:
    """A date near the end of the calendar overflows when it is moved by a day or converted to UTC."""
    return error_reply(422, "invalid", f"a value is out of range: {error}")


def _framework_error(request: Request, error: Exception) -> JSONResponse:
    """An unknown path, a method that the path does not support, or an unreadable body."""
    assert isinstance(error, HTTPException)
    reply = error_reply(error.status_code, _CODES.get(error.status_code, "bad_request"), str(error.detail))
    reply.headers.update(error.headers or {})
    return reply
