"""The HTTP API of one system: endpoints, error replies, documentation."""

from collections.abc import Callable

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright import Repository
from tablewright_systems.service.callers import Caller
from tablewright_systems.web.authentication import Authenticator
from tablewright_systems.web.entity_tags import EntityTags
from tablewright_systems.web.error_replies import UnexpectedErrors, add_error_replies
from tablewright_systems.web.idempotency import IdempotencyKeys
from tablewright_systems.web.openapi import complete_openapi
from tablewright_systems.web.pages import HEADERS, asset_routes, docs_page
from tablewright_systems.web.request_bodies import BodyLimits
from tablewright_systems.web.routers import ENDPOINT_CHECKS, Router

CheckCaller = Callable[[Repository, Caller], None]
"""Raises an `ApiError` if a caller may not use the API any more: suspended, banned."""


def application(
    title: str,
    router: Router,
    db: Repository,
    authenticator: Authenticator,
    description: str = "",
    check_caller: CheckCaller | None = None,
) -> FastAPI:
    """Build the API of one system on a store.

    `check_caller` rejects callers who were suspended, before a stored reply is sent to them again. It accepts callers
    who are not registered.
    """
    app = FastAPI(
        title=title,
        description=description,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=ENDPOINT_CHECKS,
        openapi_tags=[{"name": name, "description": text} for name, text in router.tag_descriptions.items()],
    )
    app.state.db = db
    app.state.authenticator = authenticator
    app.state.check_caller = check_caller
    app.router.routes.extend(router.shared_routes)
    app.add_api_route("/docs", _docs, include_in_schema=False, response_class=HTMLResponse)
    app.router.routes.extend(asset_routes())
    app.add_middleware(EntityTags)
    app.add_middleware(IdempotencyKeys, api=app)
    app.add_middleware(BodyLimits)
    app.add_middleware(UnexpectedErrors)
    app.add_middleware(HeadRequests)
    add_error_replies(app)
    complete_openapi(app)
    return app


def _docs(request: Request) -> HTMLResponse:
    """Serve the documentation; FastAPI's own page would load Swagger UI from a CDN."""
    app: FastAPI = request.app
    people = getattr(app.state, "people", ())
    return HTMLResponse(docs_page(app.title, request.scope.get("root_path", ""), people), headers=HEADERS)


class HeadRequests:
    """ASGI middleware that handles HEAD as GET, and sends no body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            if message["type"] != "http.response.body":
                await send(message)
            elif not message.get("more_body"):
                await send({"type": "http.response.body", "body": b""})

        await self._app({**scope, "method": "GET"}, receive, send_without_body)
