"""Pattern examples: parameters from stored data; secret parameters have none."""

from dataclasses import replace
from enum import StrEnum

from pydantic import BaseModel

from tablewright.console.patterns.pattern_examples import example_parameters, form_schema
from tests.console.sample_console import open_system


def test_examples_find_something_in_the_sample_data() -> None:
    opened = open_system("collabhub", samples=2)
    with opened.db:
        found = [example_parameters(opened, pattern) for pattern in opened.design.patterns]
    with_values = [parameters for parameters, note in found if parameters is not None and not note]
    assert len(with_values) > len(found) * 0.8


def test_a_store_without_data_says_how_to_make_samples() -> None:
    opened = open_system("boards", samples=0)
    with opened.db:
        pattern = next(each for each in opened.design.patterns if each.model_fields)
        parameters, note = example_parameters(replace(opened, location="app.db"), pattern)
        in_memory = example_parameters(opened, pattern)
    assert parameters is None
    source = "tablewright_systems.boards.design:design"
    assert note.endswith(f"Make samples with: tablewright generate samples {source} --on app.db --env test")
    assert in_memory == (None, note.partition(" Make")[0])


def test_a_secret_parameter_has_no_example() -> None:
    opened = open_system("listbackup", samples=2)
    with opened.db:
        (pattern,) = [each for each in opened.design.patterns if each.__name__ == "RefreshTokenOf"]
        parameters, note = example_parameters(opened, pattern)
    assert parameters is None
    assert "refresh_token is secret" in note


class Role(StrEnum):
    FOUNDER = "founder"
    MEMBER = "member"


class Node(BaseModel):
    role: Role = Role.MEMBER
    token: str = "initial"
    child: "Node | None" = None


def test_references_are_replaced_by_their_definitions() -> None:
    schema = form_schema(Node)
    assert schema["properties"]["role"]["enum"] == ["founder", "member"]
    assert schema["properties"]["role"]["default"] == "member"


def test_a_model_that_contains_itself_ends() -> None:
    assert "$ref" not in str(form_schema(Node))


def test_secret_fields_are_marked_and_have_no_default() -> None:
    token = form_schema(Node, {"token"})["properties"]["token"]
    assert token["secret"] is True
    assert "default" not in token


def test_a_model_without_fields_has_no_properties() -> None:
    class Nothing(BaseModel):
        pass

    assert form_schema(Nothing)["properties"] == {}
