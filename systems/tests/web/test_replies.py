"""Replies that several endpoints send."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web import LocalIssuer, MixedEntries, Router, application
from tablewright_systems.web.replies import PageReply, reply_form

from tablewright import connect, keyrings, reads


def test_page_with_its_cursor() -> None:
    reply = reply_form(reads.Page[int], None).build(reads.Page((1, 2), "next"))
    assert reply.model_dump() == {"items": [1, 2], "cursor": "next"}


def test_last_page_has_a_null_cursor_and_the_schema_requires_it() -> None:
    reply = reply_form(reads.Page[int], None).build(reads.Page(()))
    assert reply.model_dump() == {"items": [], "cursor": None}
    assert PageReply[int].model_json_schema()["required"] == ["items", "cursor"]


class Goal(BaseModel):
    title: str


class Offer(BaseModel):
    price: int


FOUND = MixedEntries(goal=Goal, offer=Offer)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    router = Router("Found", "What was found.")

    @router.get("/found", reply=FOUND)
    def found() -> reads.Page[Goal | Offer]:
        return reads.Page((Goal(title="Swim"), Offer(price=3)), "more")

    @router.get("/first", reply=FOUND)
    def first() -> Goal | Offer:
        return Offer(price=3)

    with TestClient(application("Found", router, cast(Any, None), LocalIssuer())) as opened:
        yield opened


def test_entries_have_their_kind(client: TestClient) -> None:
    goal, offer = {"kind": "goal", "entry": {"title": "Swim"}}, {"kind": "offer", "entry": {"price": 3}}
    assert client.get("/found").json() == {"items": [goal, offer], "cursor": "more"}
    assert client.get("/first").json() == offer


def test_entity_of_another_kind_is_no_entry() -> None:
    with pytest.raises(KeyError):
        FOUND.entry(FOUND.entry(Goal(title="Swim")))


def mixed_lists(schema: Any) -> Iterator[dict[str, Any]]:
    """Return the parts of a schema that are one of several models, and nothing else."""
    if isinstance(schema, dict):
        options = schema.get("oneOf") or schema.get("anyOf") or []
        if len(options) > 1 and all("$ref" in option for option in options):
            yield schema
        for item in schema.values():
            yield from mixed_lists(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from mixed_lists(item)


def test_kind_is_the_discriminator(client: TestClient) -> None:
    listed = list(mixed_lists(client.get("/openapi.json").json()))
    assert [item["discriminator"]["propertyName"] for item in listed] == ["kind", "kind"]
    assert listed[0]["discriminator"]["mapping"] == {
        "goal": "#/components/schemas/GoalEntry",
        "offer": "#/components/schemas/OfferEntry",
    }


EXPECTED = {"boards": 0, "listbackup": 2, "student_hub": 0, "goalsguild": 4, "collabhub": 1}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_unions_of_models_have_a_discriminator(system: System) -> None:
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        listed = list(mixed_lists(system.build(db, LocalIssuer()).openapi()))
    assert [item for item in listed if "discriminator" not in item] == []
    assert len(listed) == EXPECTED[system.name]
