"""Form schemas: JSON schemas without references, with secret fields marked."""

from enum import StrEnum

from pydantic import BaseModel

from tablewright.console.patterns.form_schemas import form_schema


class Role(StrEnum):
    FOUNDER = "founder"
    MEMBER = "member"


class Node(BaseModel):
    role: Role = Role.MEMBER
    token: str = "initial"
    child: "Node | None" = None


def test_references_are_replaced_by_their_definitions() -> None:
    found = form_schema(Node)
    assert found["properties"]["role"]["enum"] == ["founder", "member"]
    assert found["properties"]["role"]["default"] == "member"


def test_a_model_that_contains_itself_ends() -> None:
    assert "$ref" not in str(form_schema(Node))


def test_secret_fields_are_marked_and_have_no_default() -> None:
    found = form_schema(Node, {"token"})["properties"]["token"]
    assert found["secret"] is True
    assert "default" not in found


def test_a_model_without_fields_has_no_properties() -> None:
    class Nothing(BaseModel):
        pass

    assert form_schema(Nothing)["properties"] == {}
