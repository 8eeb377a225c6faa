"""Routers: the endpoints of one area of an API, under a tag with a description."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from fastapi import APIRouter, Depends
from starlette.routing import BaseRoute

from tablewright_systems.service.schemas import Body
from tablewright_systems.web.endpoints import endpoint_of
from tablewright_systems.web.entity_tags import reject_unsupported_if_match
from tablewright_systems.web.openapi import operation_id
from tablewright_systems.web.openapi_errors import usual_problems
from tablewright_systems.web.query_parameters import reject_unknown_parameters

F = TypeVar("F", bound=Callable[..., Any])

ENDPOINT_CHECKS = [Depends(reject_unknown_parameters), Depends(reject_unsupported_if_match)]
"""What every endpoint rejects."""


class Router(APIRouter):
    """The endpoints of one area; `tag` groups them in the documentation.

    >>> router = Router("Boards", "Boards and their owners.")
    >>> router.include_router(Router("Members", "Who belongs to a board."))
    >>> sorted(router.tag_descriptions)
    ['Boards', 'Members']
    """

    def __init__(self, tag: str | None = None, description: str = "", **more: Any) -> None:
        super().__init__(tags=[tag] if tag else None, **more)
        self.tag_descriptions = {tag: description} if tag and description else {}

    def describe(self, **tags: str) -> None:
        """Describe further tags, which single endpoints have: `router.describe(Jobs="Background work.")`."""
        self.tag_descriptions |= {name.replace("_", " "): text for name, text in tags.items()}

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        """Add an endpoint; see `endpoint_of`."""
        if more.get("responses") is None:
            more["responses"] = usual_problems(path, more.get("methods") or ["GET"])
        super().add_api_route(path, endpoint_of(endpoint, path, more.pop("body", None)), **more)

    def post(self, path: str, *, body: type[Body] | None = None, **more: Any) -> Callable[[F], F]:
        """Add a function as a POST endpoint; the fields of the body are its arguments."""
        return self._add(path, "POST", body, more)

    def put(self, path: str, *, body: type[Body] | None = None, **more: Any) -> Callable[[F], F]:
        """Add a function as a PUT endpoint; the fields of the body are its arguments."""
        return self._add(path, "PUT", body, more)

    def patch(self, path: str, *, body: type[Body] | None = None, **more: Any) -> Callable[[F], F]:
        """Add a function as a PATCH endpoint; the fields of the body are its arguments."""
        return self._add(path, "PATCH", body, more)

    def _add(self, path: str, method: str, body: type[Body] | None, more: dict[str, Any]) -> Callable[[F], F]:
        def add(function: F) -> F:
            self.add_api_route(path, function, methods=[method], body=body, **more)
            return function

        return add

    def include_router(self, router: APIRouter, **more: Any) -> None:
        """Add the endpoints and tags of another router."""
        super().include_router(router, **more)
        if isinstance(router, Router):
            self.tag_descriptions |= router.tag_descriptions

    @cached_property
    def shared_routes(self) -> list[BaseRoute]:
        """The routes of every application of this router, with the checks of all endpoints.

        FastAPI analyses the endpoints of an included router at its first request, which takes up to 0.2 s. Applications
        that share these routes share the result.
        """
        parent = APIRouter(dependencies=ENDPOINT_CHECKS, generate_unique_id_function=operation_id)
        parent.include_router(self)
        return parent.routes
