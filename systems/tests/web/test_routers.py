"""Routers with described tags."""

from typing import Any, cast

from fastapi import Request
from fastapi.testclient import TestClient
from tablewright_systems.web import Router, application
from tablewright_systems.web.authentication import LocalIssuer


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
