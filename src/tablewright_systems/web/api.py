"""The HTTP API of one system: endpoints, error replies, documentation."""

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import HTMLResponse

from tablewright import Repository
from tablewright_systems.web.authentication import Authenticator
from tablewright_systems.web.entity_tags import EntityTags, reject_unsupported_if_match
from tablewright_systems.web.error_replies import UnexpectedErrors, add_error_replies
from tablewright_systems.web.idempotency import IdempotencyKeys
from tablewright_systems.web.openapi import complete_openapi, operation_id
from tablewright_systems.web.pages import HEADERS, asset_routes, docs_page
from tablewright_systems.web.query_parameters import reject_unknown_parameters
from tablewright_systems.web.request_bodies import BodyLimits
from tablewright_systems.web.routers import Router


def application(
    title: str, router: APIRouter, db: Repository, authenticator: Authenticator, description: str = ""
) -> FastAPI:
    """Build the API of one system on a store."""
    app = FastAPI(
        title=title,
        description=description,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(reject_unknown_parameters), Depends(reject_unsupported_if_match)],
        openapi_tags=_tags(router),
        generate_unique_id_function=operation_id,
    )
    app.state.db = db
    app.state.authenticator = authenticator
    app.include_router(router)
    app.add_api_route("/docs", _docs, include_in_schema=False, response_class=HTMLResponse)
    app.router.routes.extend(asset_routes())
    app.add_middleware(EntityTags)
    app.add_middleware(IdempotencyKeys, api=app)
    app.add_middleware(BodyLimits)
    app.add_middleware(UnexpectedErrors)
    add_error_replies(app)
    complete_openapi(app)
    return app


def _tags(router: APIRouter) -> list[dict[str, str]] | None:
    if not isinstance(router, Router):
        return None
    return [{"name": name, "description": text} for name, text in router.tag_descriptions.items()]


def _docs(request: Request) -> HTMLResponse:
    """Serve the documentation; FastAPI's own page would load Swagger UI from a CDN."""
    app: FastAPI = request.app
    people = getattr(app.state, "people", ())
    return HTMLResponse(docs_page(app.title, request.scope.get("root_path", ""), people), headers=HEADERS)
