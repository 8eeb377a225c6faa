"""Policy documents: what is accepted, and what is rejected as a whole, with the statement and the reason."""

import json
from typing import Any

import pytest

from tablewright.dynamodb.policies.policy_documents import is_known_action, parse_document
from tablewright.dynamodb.policies.principals import RequestContext
from tablewright.errors import PolicyError

READ: dict[str, Any] = {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}


def without(name: str) -> dict[str, Any]:
    return {element: value for element, value in READ.items() if element != name}


def test_single_statements_actions_and_resources_need_no_brackets() -> None:
    one = parse_document({"Version": "2012-10-17", "Statement": READ})
    many = parse_document(
        json.dumps({"Version": "2012-10-17", "Statement": [{**READ, "Action": ["dynamodb:GetItem"]}]})
    )
    assert one == many


def test_actions_are_not_case_sensitive_and_resources_are() -> None:
    (statement,) = parse_document({"Statement": {**READ, "Resource": "arn:aws:T"}}).statements
    assert statement.applies("DynamoDB:getitem", "arn:aws:T", RequestContext({}))
    assert not statement.applies("dynamodb:GetItem", "arn:aws:t", RequestContext({}))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "the policy is not valid JSON"),
        ("[]", "a policy must be a JSON object"),
        ({"Statement": []}, "a policy must have at least one Statement"),
        ({"Version": "2020-01-01", "Statement": READ}, "Version must be 2012-10-17 or 2008-10-17"),
        ({"Statement": READ, "Statements": []}, "a policy has no element Statements"),
        ({"Statement": ["x"]}, "statement 1: a statement must be an object"),
        (
            {"Statement": [READ, {**READ, "Sid": "b", "Efect": "x"}]},
            "statement 2 (b): a statement has no element",
        ),
        ({"Statement": without("Effect")}, "Effect must be Allow or Deny, got None"),
        ({"Statement": without("Action")}, "a statement must have either Action or NotAction"),
        ({"Statement": {**READ, "NotResource": "*"}}, "either Resource or NotResource"),
        ({"Statement": {**READ, "Action": []}}, "Action must be a text or a list of texts"),
        ({"Statement": {**READ, "Action": "GetItem"}}, "write dynamodb:GetItem"),
        ({"Statement": {**READ, "Principal": "*"}}, "Principal is for policies of resources"),
        (
            {"Statement": {**READ, "Condition": {"Sometimes": {"k": "x"}}}},
            "Sometimes is not a condition operator",
        ),
    ],
)
def test_documents_that_cannot_be_evaluated(document: Any, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_document(document)
    assert message in str(caught.value)


def test_a_resource_policy_names_principals() -> None:
    with pytest.raises(PolicyError, match="either Principal or NotPrincipal"):
        parse_document({"Statement": READ}, of_resource=True)
    with pytest.raises(PolicyError, match='Principal must be "\\*" or an object'):
        parse_document({"Statement": {**READ, "Principal": "123456789012"}}, of_resource=True)


@pytest.mark.parametrize(
    ("action", "is_known"),
    [("*", True), ("dynamodb:*", True), ("DynamoDB:get*", True), ("dynamodb:Fly", False), ("s3:*", False)],
)
def test_known_actions(action: str, is_known: bool) -> None:
    assert is_known_action(action, ["GetItem", "PutItem"]) is is_known
