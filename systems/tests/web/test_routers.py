"""Routers with described tags."""

import re
from typing import Any, cast

import pytest
from fastapi import Request
from fastapi.routing import APIRoute, iter_route_contexts
from fastapi.testclient import TestClient
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web import Router, application
from tablewright_systems.web.authentication import LocalIssuer

from tablewright import connect, keyrings


def test_tags_of_included_routers_are_collected() -> None:
    router = Router()
    router.include_router(Router("Boards", "Boards and their owners."))
    router.describe(Background_jobs="Work that no client waits for.")
    assert router.tag_descriptions == {
        "Boards": "Boards and their owners.",
        "Background jobs": "Work that no client waits for.",
    }


def test_applications_share_the_routes_and_nothing_else() -> None:
    router = Router("Names")

    @router.get("/name")
    def name(request: Request) -> str:
        return str(request.app.state.db)

    issuer = LocalIssuer()
    first, second = (application("Names", router, cast(Any, db), issuer) for db in ("first", "second"))
    assert [TestClient(app).get("/name").json() for app in (first, second, first)] == [
        "first",
        "second",
        "first",
    ]
    shared = [one for one in first.routes if any(one is other for other in second.routes)]
    assert shared == router.shared_routes
    first.add_api_route("/other", name)
    assert TestClient(first).get("/other").status_code == 200
    assert TestClient(second).get("/other").status_code == 404


def test_every_shared_route_has_the_checks_of_all_endpoints() -> None:
    router = Router("Names")
    router.add_api_route("/name", lambda: "Ada")
    client = TestClient(application("Names", router, cast(Any, None), LocalIssuer()))
    assert client.get("/name").json() == "Ada"
    assert client.get("/name", params={"unknown": "1"}).status_code == 422
    assert client.get("/name", headers={"If-Match": '"1"'}).status_code == 400


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_no_operation_hides_another(system: System) -> None:
    """The first route that matches a path is used: `/boards/mine` has to come before `/boards/{board_id}`."""
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as db:
        app = system.build(db, LocalIssuer())
    routes = [
        (method, route)
        for route in iter_route_contexts(app.routes)
        if isinstance(route.original_route, APIRoute)
        for method in route.methods or ()
    ]
    for method, route in routes:
        path = re.sub("{[^}]*}", "x", str(route.path_format))
        used = next(other for verb, other in routes if verb == method and other.path_regex.match(path))
        assert used.path_format == route.path_format
