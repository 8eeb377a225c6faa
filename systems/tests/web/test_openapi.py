"""The OpenAPI documents of the five APIs follow the same conventions."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web.authentication import LocalIssuer

from tablewright import connect, keyrings

Document = dict[str, Any]
NAMES_OF_OTHERS = {"error_description"}
"""Parameters that other services send: OAuth defines this one (RFC 6749, 4.1.2.1)."""
TIMES_IN_KEYS = {("Feedback", "timestamp"), ("ActivityView", "timestamp")}
"""Numbers that are part of a stored key; the same replies have `createdAt`."""
CAMEL_CASE = re.compile(r"[a-z][a-zA-Z0-9]*")


@pytest.fixture(params=SYSTEMS, ids=lambda system: str(system.name), scope="module")
def document(request: pytest.FixtureRequest) -> Iterator[Document]:
    system: System = request.param
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        yield TestClient(system.build(db, LocalIssuer())).get("/openapi.json").json()


def operations(document: Document) -> list[Document]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def test_operations_have_unique_names_and_a_description(document: Document) -> None:
    result = operations(document)
    assert len({operation["operationId"] for operation in result}) == len(result)
    for part in ("summary", "description"):
        assert [operation["operationId"] for operation in result if not operation.get(part)] == []


def test_tags_are_described_and_each_operation_has_one(document: Document) -> None:
    described = {tag["name"] for tag in document["tags"] if tag["description"]}
    assert {tuple(operation["tags"]) for operation in operations(document)} == {(tag,) for tag in described}


def test_parameters_are_camel_case_and_described(document: Document) -> None:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                assert parameter["description"], (path, parameter)
                if parameter["in"] != "header" and parameter["name"] not in NAMES_OF_OTHERS:
                    assert CAMEL_CASE.fullmatch(parameter["name"]), (path, parameter)
                assert parameter["in"] != "path" or f"{{{parameter['name']}}}" in path


def test_properties_are_camel_case(document: Document) -> None:
    names = {
        (model, name)
        for model, schema in document["components"]["schemas"].items()
        for name in schema.get("properties", ())
        if not CAMEL_CASE.fullmatch(name)
    }
    assert names == set()


def test_times_are_text_in_one_format(document: Document) -> None:
    wrong = {
        (model, name)
        for model, schema in document["components"]["schemas"].items()
        for name, value in schema.get("properties", {}).items()
        if re.search(r"(At|Until|timestamp|ttl|expires)$", name)
        and not any(option.get("format") in ("date-time", "date") for option in value.get("anyOf", [value]))
    }
    assert wrong - TIMES_IN_KEYS == set()


def test_errors_refer_to_one_body(document: Document) -> None:
    replies = document["components"]["responses"]
    for operation in operations(document):
        for status, reply in operation["responses"].items():
            if status >= "400":
                name = reply["$ref"].removeprefix("#/components/responses/")
                content = replies[name]["content"]["application/problem+json"]
                assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
                assert content["example"]["status"] == int(status)


def test_operations_document_the_errors_of_every_request(document: Document) -> None:
    for operation in operations(document):
        expected = {"422", "500", "503"}
        expected |= {"400", "413", "415"} if "requestBody" in operation else set()
        expected |= {"401"} if "security" in operation else set()
        assert expected <= set(operation["responses"])


FILES = {"/accounts/{accountId}/archives/{archiveId}/files/{dataType}"}
"""Downloads of files, which are streamed and have no pages."""


def reply_schemas(document: Document) -> Iterator[tuple[str, str, Document, Document]]:
    """Return the schema of each successful reply, with its method, path and operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for status, reply in operation["responses"].items():
                if status < "300" and "content" in reply and path not in FILES:
                    schema = reply["content"]["application/json"]["schema"]
                    if "$ref" in schema:
                        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
                    yield method, path, operation, schema


def test_every_reply_is_an_object(document: Document) -> None:
    others = [
        (method, path)
        for method, path, _, schema in reply_schemas(document)
        if schema.get("type") != "object" and "discriminator" not in schema
    ]
    assert others == []


def test_lists_have_pages_or_a_bound(document: Document) -> None:
    """A reply that is a list is a page with `limit` and `cursor`, or has a largest number of items."""
    wrong = []
    for method, path, operation, schema in reply_schemas(document):
        parameters = {parameter["name"] for parameter in operation.get("parameters", ())}
        has_items, has_cursor = (
            "items" in schema.get("properties", {}),
            "cursor" in schema.get("properties", {}),
        )
        if has_items and not has_cursor and "maxItems" not in schema["properties"]["items"]:
            wrong.append((method, path, "no bound"))
        if has_cursor != ({"limit", "cursor"} <= parameters):
            wrong.append((method, path, "no paging"))
    assert wrong == []


def test_properties_and_parameters_have_no_title_that_repeats_their_name(document: Document) -> None:
    schemas = document["components"]["schemas"].values()
    properties = [item for schema in schemas for item in schema.get("properties", {}).values()]
    parameters = [
        parameter["schema"]
        for operation in operations(document)
        for parameter in operation.get("parameters", ())
    ]
    assert [item for item in properties + parameters if "title" in item] == []


def test_successful_replies_have_a_description_of_their_own(document: Document) -> None:
    replies = [reply for operation in operations(document) for reply in operation["responses"].values()]
    assert [reply for reply in replies if reply.get("description") == "Successful Response"] == []
