"""Functions as endpoints. Bodies have the JSON types and the names of the OpenAPI documents; nothing is converted."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, cast, get_args
from uuid import UUID

import pytest
from fastapi import FastAPI, Request
from fastapi.params import Depends
from fastapi.testclient import TestClient
from pydantic import Field
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.service import FIRST_PAGE
from tablewright_systems.service.schemas import JSON_NUMBER, Body, Time
from tablewright_systems.web import Db, LocalIssuer, PageRequest, Router, View, application
from tablewright_systems.web.openapi_examples import example_of
from tablewright_systems.web.routers import StrictBody, endpoint_of, is_body

from tablewright import Design, Entity, Keys, Query, Table, connect, keyrings, reads

ISSUER = LocalIssuer()


class Color(Enum):
    RED = "red"


class Part(Body):
    part_size: int = 1


class Thing(Body):
    """A body with each kind of field."""

    is_new: bool = False
    count: int = 0
    weight: float = 0
    price: Annotated[Decimal, Field(ge=0, decimal_places=2), *JSON_NUMBER] = Decimal(0)
    name: str = ""
    title: Annotated[str, Field(pattern="^.*$")] = ""
    color: Color = Color.RED
    day: date | None = None
    at: Time | None = None
    key: UUID | None = None
    tags: frozenset[str] = frozenset()
    part: Part = Part()
    parts: list[Part] = Field(default_factory=list)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    router = Router("Things", "Things.")

    @router.post("/things")
    def create(body: Thing) -> dict[str, Any]:
        return {name: str(value) for name, value in body.sent().items()}

    @router.post("/lists")
    def create_all(body: list[Thing] | None = None) -> int:
        return -1 if body is None else len(body)

    @router.post("/settings")
    def configure(body: dict[str, Any]) -> dict[str, Any]:
        return body

    with TestClient(application("Things", router, cast(Any, None), ISSUER)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "value", "detail"),
    [
        ("isNew", "yes", "isNew: must be true or false"),
        ("isNew", 1, "isNew: must be true or false"),
        ("count", "50", "count: must be an integer"),
        ("count", True, "count: must be an integer"),
        ("count", 1.5, "count: must be an integer"),
        ("weight", "50", "weight: must be a number"),
        ("price", "50", "price: must be a number"),
        ("price", True, "price: must be a number"),
        ("name", 5, "name: must be a string"),
        ("day", 5, "day: must be a day, such as 2026-01-31"),
        ("at", 1_700_000_000, "at: must be a time, such as 2026-01-31T12:00:00Z"),
        ("tags", "a", "tags: must be an array"),
        ("part", [], "part: must be an object"),
        ("part", {"partSize": "1"}, "part.partSize: must be an integer"),
        ("parts", [{"partSize": "1"}], "parts.0.partSize: must be an integer"),
    ],
)
def test_value_of_another_type_is_invalid(client: TestClient, name: str, value: Any, detail: str) -> None:
    reply = client.post("/things", json={name: value})
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    assert reply.json()["detail"] == detail
    assert client.post("/lists", json=[{name: value}]).json()["detail"] == f"0.{detail}"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("isNew", True, "True"),
        ("count", 50, "50"),
        ("weight", 50, "50.0"),
        ("price", 50, "50"),
        ("price", 12.34, "12.34"),
        ("color", "red", "Color.RED"),
        ("day", "2026-01-31", "2026-01-31"),
        ("at", "2026-01-31T12:00:00Z", "2026-01-31 12:00:00+00:00"),
        ("at", None, "None"),
        ("key", "5f0c2d1e-8a7b-4c3d-9e6f-1a2b3c4d5e6f", "5f0c2d1e-8a7b-4c3d-9e6f-1a2b3c4d5e6f"),
        ("tags", ["a"], "frozenset({'a'})"),
        ("part", {"partSize": 2}, "part_size=2"),
    ],
)
def test_value_of_the_type_is_accepted(client: TestClient, name: str, value: Any, expected: str) -> None:
    reply = client.post("/things", json={name: value})
    assert list(reply.json().values()) == [expected]
    assert client.post("/lists", json=[{name: value}]).json() == {"count": 1}


@pytest.mark.parametrize(
    ("body", "field", "hint"),
    [
        ({"is_new": True}, "is_new", "isNew"),
        ({"part": {"part_size": 1}}, "part.part_size", "partSize"),
    ],
)
def test_name_in_snake_case_is_unknown(client: TestClient, body: Any, field: str, hint: str) -> None:
    problem = client.post("/things", json=body).json()
    text = f"{field}: is not a field of this request; names are camelCase, such as {hint}"
    assert (problem["code"], problem["field"], problem["detail"]) == ("invalid", field, text)


def test_bodies_that_are_no_models_are_passed_on(client: TestClient) -> None:
    settings = {"a_b": "1", "c": [1, 2.5, None, True]}
    assert client.post("/settings", json=settings).json() == settings
    assert client.post("/lists").json() == {"count": -1}


@pytest.mark.parametrize(("path", "status", "field"), [("/things", 422, "title"), ("/settings", 400, "body")])
def test_half_of_a_surrogate_pair_is_invalid(client: TestClient, path: str, status: int, field: str) -> None:
    headers = {"content-type": "application/json"}
    reply = client.post(path, content=rb'{"title": "\ud800"}', headers=headers)
    assert (reply.status_code, reply.json()["field"]) == (status, field)


def test_only_bodies_are_strict() -> None:
    def endpoint(number: int, thing: Annotated[Thing, Depends(Thing)], body: Thing) -> None: ...

    kinds = [type(options[-1]) if options else None for options in _options(endpoint_of(endpoint, "/things"))]
    assert kinds == [None, Depends, StrictBody]
    assert [is_body(kind) for kind in (Thing, Annotated[Thing, Depends(Thing)], str | None)] == [
        True,
        False,
        False,
    ]


def _options(endpoint: Any) -> list[tuple[Any, ...]]:
    parameters = inspect.signature(endpoint).parameters.values()
    return [get_args(parameter.annotation)[1:] for parameter in parameters]


# --- Functions as endpoints ---


class NewName(Body):
    new_name: str
    reason: str = ""


def test_fields_of_the_body_are_arguments() -> None:
    router = Router("Names")

    @router.patch("/names/{name}", body=NewName)
    def rename(name: str, new_name: str, reason: str = "none", *, is_final: bool = False) -> list[Any]:
        return [name, new_name, reason, is_final]

    @router.post("/all", body=NewName)
    def take_all(**fields: Any) -> dict[str, Any]:
        return fields

    client = TestClient(application("Names", router, cast(Any, None), ISSUER))
    assert client.patch("/names/a", json={"newName": "b"}).json()["items"] == ["a", "b", "none", False]
    reply = client.patch("/names/a?isFinal=true", json={"newName": "b", "reason": "c"})
    assert reply.json()["items"] == ["a", "b", "c", True]
    assert client.post("/all", json={"newName": "b"}).json() == {"new_name": "b"}
    assert client.post("/all", json={}).status_code == 422
    assert rename("a", "b") == ["a", "b", "none", False]


def test_function_without_a_parameter_for_a_field_is_rejected() -> None:
    with pytest.raises(TypeError, match="has no parameter for 'reason' of its body"):
        endpoint_of(lambda new_name: new_name, "/names", ["POST"], NewName)


def test_parameters_of_a_change_are_the_fields_of_its_body() -> None:
    router = Router("Names")

    @router.patch("/names/{name}")
    def rename(
        request: Request, name: str, new_name: Annotated[str, Field(max_length=3)], part: Part | None = None
    ) -> dict[str, Any]:
        """Rename a thing.

        The second line is not in the body.
        """
        return {"name": name, "new": new_name, "size": part.part_size if part else None}

    @router.put("/part")
    def replace(part: Part) -> dict[str, int]:
        return {"size": part.part_size}

    app = application("Names", router, cast(Any, None), ISSUER)
    client = TestClient(app)
    sent = {"newName": "b", "part": {"partSize": 2}}
    assert client.patch("/names/a", json=sent).json() == {"name": "a", "new": "b", "size": 2}
    assert client.patch("/names/a", json={"newName": "b"}).json()["size"] is None
    for wrong in ({"newName": "long"}, {"newName": 5}, {"new_name": "b"}, {}, {"newName": "b", "other": 1}):
        assert client.patch("/names/a", json=wrong).status_code == 422, wrong
    assert client.patch("/names/a?newName=b", json={"newName": "b"}).status_code == 422
    assert client.put("/part", json={"partSize": 3}).json() == {"size": 3}
    assert client.put("/part", json={"part": {"partSize": 3}}).status_code == 422
    schema = app.openapi()["components"]["schemas"]["RenameRequest"]
    assert (schema["description"], schema["required"]) == ("Rename a thing.", ["newName"])


class Size(View):
    size: int


class Name(View):
    full_name: str


@dataclass(frozen=True)
class Ada:
    full_name: str = "Ada"
    password: str = "secret"


def test_results_become_the_view_of_the_reply() -> None:
    router = Router("Names")
    router.get("/one", reply=Name)(lambda: Ada())

    @router.get("/page", reply=Name)
    def page() -> reads.Page[Ada]:
        return reads.Page((Ada(), Ada("Grace")))

    @router.get("/list", reply=Name)
    def everything() -> list[Ada]:
        return [Ada()]

    @router.get("/size", reply=Size)
    def size() -> int:
        return 3

    @router.get("/count")
    def count() -> int:
        return 4

    client = TestClient(application("Names", router, cast(Any, None), ISSUER))
    assert client.get("/one").json() == {"fullName": "Ada"}
    assert client.get("/page").json() == {
        "items": [{"fullName": "Ada"}, {"fullName": "Grace"}],
        "cursor": None,
    }
    assert client.get("/list").json() == {"items": [{"fullName": "Ada"}]}
    assert client.get("/size").json() == {"size": 3}
    assert client.get("/count").json() == {"count": 4}


def test_pattern_of_a_list_is_run_for_the_requested_page() -> None:
    table = Table("names", key=("PK", "SK"))

    class Person(Entity, table=table, type="PERSON"):
        group: str
        name: str
        keys = Keys(primary=("GROUP#{group}", "PERSON#{name}"))

    class PeopleOf(Query[Person]):
        """List the people of a group."""

        group: str
        key = "PK = GROUP#{group}"

    router = Router("People")

    @router.get("/groups/{group}/people")
    def people(db: Db, group: str) -> PeopleOf:
        """List the people of a group."""
        return PeopleOf(group=group)

    with connect(Design("people", entities=[Person], patterns=[PeopleOf])) as db:
        for name in ("Ada", "Eve"):
            db.create(Person(group="a", name=name))
        client = TestClient(application("People", router, db, ISSUER))
        first = client.get("/groups/a/people?limit=1").json()
        assert [person["name"] for person in first["items"]] == ["Ada"]
        rest = client.get("/groups/a/people", params={"cursor": first["cursor"]}).json()
        assert [person["name"] for person in rest["items"]] == ["Eve"]
        assert db.all(people(db, "a")) == db.all(PeopleOf(group="a"))


def test_pages_are_replies_and_defaults_are_for_calls_from_python() -> None:
    router = Router("Names")

    @router.get("/names")
    def names(paging: PageRequest = FIRST_PAGE) -> reads.Page[str]:
        return reads.Page(("Ada",) * paging.limit, "next")

    app = application("Names", router, cast(Any, None), ISSUER)
    assert TestClient(app).get("/names?limit=1").json() == {"items": ["Ada"], "cursor": "next"}
    assert "PageReply_str_" in app.openapi()["components"]["schemas"]
    assert len(names()) == FIRST_PAGE.limit


# --- The five systems ---


@pytest.fixture(params=SYSTEMS, ids=lambda system: str(system.name), scope="module")
def app(request: pytest.FixtureRequest) -> Iterator[FastAPI]:
    system: System = request.param
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        yield system.build(db, ISSUER)


WRONG_VALUES = {"boolean": "yes", "integer": "50", "number": "50", "string": 5, "array": "x", "object": "x"}


def wrong_value(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    """Return a value that a lax API would convert to a value of the schema, or None if the schema accepts any."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    options = [item for item in schema.get("anyOf", [schema]) if item.get("type") != "null"]
    return WRONG_VALUES.get(options[0].get("type", "object")) if len(options) == 1 and options[0] else None


def snake_case(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def test_bodies_of_every_operation_are_strict(app: FastAPI) -> None:
    document = app.openapi()
    client = TestClient(app, headers={"Authorization": f"Bearer {ISSUER.issue('newcomer')}"})
    accepted: list[tuple[str, str, dict[str, Any]]] = []
    sent = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            schema = (
                operation.get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema", {})
            )
            name = schema.get("$ref", "").rpartition("/")[2]
            model = document["components"]["schemas"].get(name, {})
            body = example_of(document, schema) if model else {}
            for field, value in model.get("properties", {}).items():
                wrong = wrong_value(document, value)
                changed = {k: v for k, v in body.items() if k != field} | {snake_case(field): body[field]}
                bodies = [(field, body | {field: wrong})] if wrong is not None else []
                bodies += [(snake_case(field), changed)] if changed.keys() != body.keys() else []
                for problem, content in bodies:
                    sent += 1
                    reply = client.request(method, path, json=content)
                    fields = [one["field"] for one in reply.json().get("errors", ())]
                    if reply.status_code != 422 or not any(one.startswith(problem) for one in fields):
                        accepted.append((method, path, content))
    assert accepted == []
    assert sent > 8
