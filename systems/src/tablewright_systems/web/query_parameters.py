"""Query parameters: one that an endpoint does not have is an error, so that a misspelled filter is not ignored."""

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from tablewright_systems.service.errors import Invalid


def reject_unknown_parameters(request: Request) -> None:
    """Raise `Invalid` for a query parameter that the endpoint does not have; a dependency of every endpoint."""
    if not request.query_params:
        return
    route: APIRoute = request.scope["route"]
    known = set(_names(route.dependant))
    for name in request.query_params:
        if name not in known:
            hint = f"use {', '.join(sorted(known))}" if known else "this endpoint has none"
            raise Invalid(f"unknown query parameter {name!r}; {hint}", name)


def _names(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for each in dependant.dependencies:
        yield from _names(each)
