"""What the five APIs have in common: identity from a bearer token, pages with cursors, refusals as typed errors."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, Protocol, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from tablewright import Repository, errors
from tablewright_systems.api_errors import ApiError, TooManyRequests, Unauthenticated
from tablewright_systems.authentication import Authenticator, Caller
from tablewright_systems.pages import HEADERS, docs_page

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_PAGE_SIZE = 100

_bearer = HTTPBearer(auto_error=False, description="A JWT; `tablewright token` mints one for this machine.")


def _repository(request: Request) -> Repository:
    found: Repository = request.app.state.db
    return found


def _caller(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Caller:
    if given is None:
        raise Unauthenticated("this needs a token: send Authorization: Bearer ...")
    gate: Authenticator = request.app.state.gate
    return gate.authenticate(given.credentials)


Db = Annotated[Repository, Depends(_repository)]
CurrentCaller = Annotated[Caller, Depends(_caller)]
Cursor = Annotated[str | None, Query(description="Where the last page ended, as it said.", max_length=8192)]
Limit = Annotated[int, Query(description="At most so many.", ge=1, le=MAX_PAGE_SIZE)]


class _Paged(Protocol[T_co]):
    """What a query returns."""

    def __iter__(self) -> Any: ...

    @property
    def cursor(self) -> str | None: ...


class PageReply(BaseModel, Generic[T]):
    """Some of many; `cursor` continues it, and is null at the end."""

    items: list[T]
    cursor: str | None = None

    @classmethod
    def of(cls, page: _Paged[T]) -> "PageReply[T]":
        """From a page that a query returned."""
        return cls(items=list(page), cursor=page.cursor)

    @classmethod
    def map(cls, page: _Paged[Any], make: Callable[[Any], T]) -> "PageReply[T]":
        """From a page, each shown in another form."""
        return cls(items=[make(each) for each in page], cursor=page.cursor)


class ErrorDetail(BaseModel):
    """What went wrong; `field` is what the caller would have to change."""

    code: str
    message: str
    field: str | None = None


class ErrorReply(BaseModel):
    """The body of every reply that is no success."""

    error: ErrorDetail


_RESPONSES: dict[int | str, dict[str, Any]] = {
    401: {"model": ErrorReply, "description": "Nobody knows who is asking"},
    403: {"model": ErrorReply, "description": "The caller may not"},
    404: {"model": ErrorReply, "description": "There is no such thing"},
    409: {"model": ErrorReply, "description": "It contradicts what is there"},
    422: {"model": ErrorReply, "description": "It makes no sense"},
}

# Refusals of the store, the more special first.
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
_CODES = {404: "not_found", 405: "method_not_allowed"}


def application(
    title: str, router: APIRouter, db: Repository, gate: Authenticator, description: str = ""
) -> FastAPI:
    """The API of one system, on a store."""
    app = FastAPI(title=title, description=description, responses=_RESPONSES, docs_url=None, redoc_url=None)
    app.state.db = db
    app.state.gate = gate
    app.include_router(router)
    app.add_api_route("/docs", _docs, include_in_schema=False, response_class=HTMLResponse)
    app.add_exception_handler(ApiError, _problem)
    app.add_exception_handler(errors.TablewrightError, _store_error)
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(ValidationError, _unfit)
    app.add_exception_handler(OverflowError, _beyond)
    app.add_exception_handler(HTTPException, _refused)
    return app


def _docs(request: Request) -> HTMLResponse:
    """What the API can do; made here, as FastAPI's own page loads its parts from elsewhere."""
    app: FastAPI = request.app
    return HTMLResponse(
        docs_page(app.state.db.design.name, request.scope.get("root_path", ""), app.openapi()),
        headers=HEADERS,
    )


def _reply(status: int, code: str, message: str, field: str | None = None) -> JSONResponse:
    detail = ErrorDetail(code=code, message=message, field=field)
    return JSONResponse(ErrorReply(error=detail).model_dump(), status)


def _problem(request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, ApiError)
    reply = _reply(problem.status, problem.code, problem.why, problem.field)
    if isinstance(problem, TooManyRequests):
        reply.headers["retry-after"] = str(problem.retry_after)
    if isinstance(problem, Unauthenticated):
        reply.headers["www-authenticate"] = "Bearer"
    return reply


def _store_error(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, errors.TransactionFailed):
        error = next((each for each in error.failures if each is not None), error)
    for kind, status, code in _STORE_ERRORS:
        if isinstance(error, kind):
            reply = _reply(status, code, str(error), _FIELDS.get(code) or getattr(error, "field", None))
            if status == 503:
                reply.headers["retry-after"] = "1"
            return reply
    raise error


def _unfit(request: Request, error: Exception) -> JSONResponse:
    """What was sent does not fit its field: told by the endpoint, or by the pattern or entity it was put into."""
    assert isinstance(error, RequestValidationError | ValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return _reply(422, "invalid", f"{place}: {first['msg']}" if place else first["msg"], place or "body")


def _beyond(request: Request, error: Exception) -> JSONResponse:
    """Dates at an end of the calendar leave it when they are moved by a day, or to UTC."""
    return _reply(422, "invalid", f"this is beyond what can be reckoned with: {error}")


def _refused(request: Request, error: Exception) -> JSONResponse:
    """What the framework refuses: an unknown path, a method that a path does not have, a body that is no JSON."""
    assert isinstance(error, HTTPException)
    reply = _reply(error.status_code, _CODES.get(error.status_code, "bad_request"), str(error.detail))
    reply.headers.update(error.headers or {})
    return reply
