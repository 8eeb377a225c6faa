"""Designs with vector indexes: in infrastructure code, documents, diagrams, policies and samples."""

import json
from typing import Any

import pytest

from tablewright.errors import UsageError
from tablewright.generate.cdk import cdk
from tablewright.generate.cloudformation import cloudformation
from tablewright.generate.diagrams.mermaid import mermaid
from tablewright.generate.diagrams.svg import svg
from tablewright.generate.iam.grants import Grants, TableArns
from tablewright.generate.iam.role_policies import grant_operator, grant_reader
from tablewright.generate.iam.service_role import ServiceRole
from tablewright.generate.markdown import markdown
from tablewright.generate.samples.sample_data import sample_data
from tablewright.generate.terraform import terraform
from tests.access.reads.library import Note, SimilarNotes, TitlesNearby, design, main

ARNS = TableArns("eu-north-1", "123456789012", "dev")
INDEX = "arn:aws:dynamodb:eu-north-1:123456789012:table/library-dev/index/"


def test_cloudformation_has_the_vector_indexes() -> None:
    properties = json.loads(cloudformation(design))["Resources"]["LibraryTable"]["Properties"]
    assert properties["VectorIndexes"] == main.definition("x")["VectorIndexes"]
    assert {"AttributeName": "year", "AttributeType": "N"} in properties["AttributeDefinitions"]


def test_cdk_has_the_constructs_of_vector_indexes() -> None:
    code = cdk(design)
    compile(code, "stack.py", "exec")
    assert "dynamodb.CfnTable.VectorIndexProperty(index_name='by-place', vector_attribute=" in code
    assert "SearchSchemaElementProperty(attribute_name='tenant', search_schema_element_type='HASH')" in code


def test_terraform_says_that_it_lacks_vector_indexes() -> None:
    module = terraform(design)
    assert (
        "# The AWS provider has no resource for vector indexes, so this module does not create by-meaning"
        in module
    )
    assert '"tenant"' not in module  # Terraform rejects attributes that no key uses


def test_the_document_describes_indexes_fields_and_searches() -> None:
    text = markdown(design)
    assert "| `by-meaning` | meaning | 3 | COSINE | tenant | kind, year, type | all attributes |" in text
    assert "| `meaning` | meaning | list of float | vector of 3 numbers |" in text
    assert "SearchVectors | by-meaning | tenant = {tenant} AND kind = {kind} AND type = NOTE |" in text
    assert (
        "| nearest first | meaning: list of float, tenant: str, kind: str = None | list of Note with scores |"
        in text
    )


def test_diagrams_show_who_is_in_a_vector_index() -> None:
    assert '["by-meaning: meaning, tenant, kind, year, type"]' in mermaid(design)
    assert '[("all vectors")]' in mermaid(design)
    assert "by-place" in svg(design, main)


def actions(grants: Grants, resource: str) -> set[str]:
    return {
        action.removeprefix("dynamodb:")
        for statement in grants.statements()
        if resource in json.dumps(statement["Resource"])
        for action in statement["Action"]
    }


def test_a_search_needs_its_own_right_on_the_index() -> None:
    grants = Grants()
    ServiceRole(design, ARNS).grant(grants, [SimilarNotes])
    (statement,) = grants.statements()
    assert statement["Action"] == ["dynamodb:SearchVectors"]
    assert statement["Resource"] == f"{INDEX}by-meaning"
    assert "Condition" not in statement


def test_a_search_for_some_fields_names_the_vector() -> None:
    grants = Grants()
    ServiceRole(design, ARNS).grant(grants, [TitlesNearby])
    (statement,) = grants.statements()
    assert "place" in json.dumps(statement["Condition"])


def test_a_search_cannot_be_limited_to_a_tenant() -> None:
    with pytest.raises(UsageError, match=r"cannot be limited to note_id, .*: SimilarNotes \(a search\)"):
        ServiceRole(design, ARNS, "note_id").grant(Grants(), [SimilarNotes])


@pytest.mark.parametrize("grant", [grant_operator, grant_reader])
def test_operators_and_readers_may_search(grant: Any) -> None:
    grants = Grants()
    grant(grants, design, ARNS)
    assert "SearchVectors" in actions(grants, f"{INDEX}by-place")
    assert "Scan" not in actions(grants, f"{INDEX}by-place")


def test_samples_have_vectors_that_every_search_finds() -> None:
    samples = sample_data(design, 5)
    notes = [entity for entity in samples.entities if isinstance(entity, Note)]
    assert all(len(note.meaning) == 3 for note in notes)
    assert len({tuple(note.meaning) for note in notes}) == len(notes)
    assert [request.problem for request in samples.requests] == [""] * 5
