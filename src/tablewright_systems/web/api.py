"""What the five HTTP APIs share: the caller from a bearer token, pages with cursors, error replies, documentation."""

from collections.abc import Callable
from typing import Annotated, Any, Generic, Protocol, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.responses import HTMLResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field

from tablewright import Repository
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Unauthenticated
from tablewright_systems.web.authentication import Authenticator
from tablewright_systems.web.error_replies import RESPONSES, add_error_replies
from tablewright_systems.web.json_nesting import JsonNestingLimit
from tablewright_systems.web.openapi import complete_openapi, operation_id
from tablewright_systems.web.pages import HEADERS, asset_routes, docs_page

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_PAGE_SIZE = 100

bearer_token = HTTPBearer(
    auto_error=False,
    bearerFormat="JWT",
    description="A JWT. In development, print one with: `tablewright token SYSTEM`",
)


def _repository(request: Request) -> Repository:
    found: Repository = request.app.state.db
    return found


def _caller(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_token)]
) -> Caller:
    if given is None:
        raise Unauthenticated("send a token: Authorization: Bearer <token>")
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator.authenticate(given.credentials)


Db = Annotated[Repository, Depends(_repository)]
CurrentCaller = Annotated[Caller, Depends(_caller)]
Cursor = Annotated[
    str | None, Query(description="`cursor` of the previous page, to get the next page.", max_length=8192)
]
Limit = Annotated[int, Query(description="Maximum number of items.", ge=1, le=MAX_PAGE_SIZE)]


class _Paged(Protocol[T_co]):
    """A page that a query or a service returns."""

    def __iter__(self) -> Any: ...

    @property
    def cursor(self) -> str | None: ...


class PageReply(BaseModel, Generic[T]):
    """One page of a list."""

    items: list[T]
    cursor: str | None = Field(
        default=None, description="Pass it to get the next page; null on the last page."
    )

    @classmethod
    def of(cls, page: _Paged[T]) -> "PageReply[T]":
        """Build a reply from a page."""
        return cls(items=list(page), cursor=page.cursor)

    @classmethod
    def map(cls, page: _Paged[Any], convert: Callable[[Any], T]) -> "PageReply[T]":
        """Build a reply from a page, with each item converted."""
        return cls(items=[convert(item) for item in page], cursor=page.cursor)


def application(
    title: str, router: APIRouter, db: Repository, authenticator: Authenticator, description: str = ""
) -> FastAPI:
    """Build the API of one system on a store."""
    app = FastAPI(
        title=title,
        description=description,
        responses=RESPONSES,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
    )
    app.state.db = db
    app.state.authenticator = authenticator
    app.include_router(router)
    app.add_api_route("/docs", _docs, include_in_schema=False, response_class=HTMLResponse)
    app.router.routes.extend(asset_routes())
    app.add_middleware(JsonNestingLimit)
    add_error_replies(app)
    complete_openapi(app)
    return app


def _docs(request: Request) -> HTMLResponse:
    """Serve the documentation; FastAPI's own page would load Swagger UI from a CDN."""
    app: FastAPI = request.app
    return HTMLResponse(docs_page(app.title, request.scope.get("root_path", "")), headers=HEADERS)
