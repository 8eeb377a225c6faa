"""Policy documents: what AWS rejects, and the form in which it shows the rest."""

import json
from typing import Any

import pytest

from tablewright.engine.features.authorization.resource_policies import MOST_BYTES, canonical, with_version
from tablewright.errors import ValidationError

ALLOW: dict[str, Any] = {
    "Effect": "Allow",
    "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
    "Action": "dynamodb:GetItem",
    "Resource": "*",
}
CANONICAL = (
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},'
    '"Action":"dynamodb:GetItem","Resource":"*"}]}'
)


def document(*statements: dict[str, Any], **members: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements), **members})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"Action": ["dynamodb:GetItem"]},
        {"Principal": {"AWS": "123456789012"}},
        {"Principal": {"AWS": ["123456789012", "arn:aws:iam::123456789012:root"]}},
        {"Effect": "allow"},
    ],
)
def test_equivalent_documents_have_one_form(changes: dict[str, Any]) -> None:
    assert canonical(document({**ALLOW, **changes})) == CANONICAL


def test_order_white_space_and_a_single_statement_do_not_matter() -> None:
    reordered = {"Statement": dict(reversed(ALLOW.items())), "Version": "2012-10-17"}
    assert canonical(json.dumps(reordered, indent=4)) == CANONICAL


def test_a_document_without_version_is_shown_with_the_old_one() -> None:
    policy = canonical(json.dumps({"Statement": [ALLOW]}))
    assert "Version" not in policy
    assert json.loads(with_version(policy))["Version"] == "2008-10-17"
    assert with_version(CANONICAL) == CANONICAL


@pytest.mark.parametrize(
    "action", ["*", "dynamodb:*", "dynamodb:Get*", "dynamodb:putitem", "dynamodb:PartiQLSelect"]
)
def test_actions_of_tables(action: str) -> None:
    canonical(document({**ALLOW, "Action": action}))


def test_streams_have_actions_of_their_own() -> None:
    policy = document({**ALLOW, "Action": "dynamodb:GetRecords"})
    canonical(policy, of_stream=True)
    with pytest.raises(
        ValidationError, match='The following action names are invalid: "dynamodb:GetRecords"'
    ):
        canonical(policy)


def without(name: str) -> dict[str, Any]:
    return {member: value for member, value in ALLOW.items() if member != name}


INVALID = "One or more parameter values were invalid: "
DOCUMENT = INVALID + "Invalid policy document: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", DOCUMENT + "This policy contains invalid Json"),
        ("{not json", DOCUMENT + "This policy contains invalid Json"),
        ("[]", DOCUMENT + "This policy contains invalid Json"),
        (document(), DOCUMENT + "Could not parse the policy: Statement is empty!"),
        (document(without("Resource")), DOCUMENT + "Missing required field Resource"),
        (document(without("Effect")), DOCUMENT + "Missing required field Effect"),
        (
            document({**ALLOW, "Sid": "a"}, {**ALLOW, "Sid": "a"}),
            DOCUMENT + "The Statement Ids in the policy are not unique",
        ),
        (
            document({**ALLOW, "Action": ["dynamodb:GetItem", "s3:GetObject"]}),
            DOCUMENT + 'The following action names are invalid: "s3:GetObject"',
        ),
        (
            document({**ALLOW, "Principal": "*"}),
            "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to "
            "ensure least-privilege form of access",
        ),
        (" " * MOST_BYTES + document(ALLOW), INVALID + "Maximum policy size of 20480 bytes exceeded"),
    ],
)
def test_what_aws_rejects(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        canonical(text)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "statement",
    [
        {**ALLOW, "Principal": "123456789012"},
        {**ALLOW, "Effect": "Maybe"},
        {**ALLOW, "Colour": "red"},
        {**ALLOW, "Action": [1]},
        {**ALLOW, "Resource": {"Ref": "x"}},
    ],
)
def test_syntax_errors_have_a_position(statement: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"Syntax error at position \(1,\d+\)"):
        canonical(document(statement))


def test_everyone_may_be_denied_and_allowed_under_a_condition() -> None:
    canonical(document({**ALLOW, "Effect": "Deny", "Principal": "*"}))
    condition = {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}
    canonical(document({**ALLOW, "Principal": {"AWS": "*"}, "Condition": condition}))
