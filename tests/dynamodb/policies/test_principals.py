"""Principals: their ARNs and condition keys, and the principals that name them."""

import pytest

from tablewright.dynamodb.policies.principals import Grant, Principal, RequestContext

ADA = Principal("user", "team/ada", tags={"tenant": "t1"})
WEB = Principal("role", "service/web", session="s1")


def test_arns() -> None:
    assert ADA.arn == "arn:aws:iam::123456789012:user/team/ada"
    assert WEB.arn == "arn:aws:sts::123456789012:assumed-role/web/s1"
    assert WEB.identity_arn == "arn:aws:iam::123456789012:role/service/web"


def test_condition_keys() -> None:
    assert ADA.condition_keys()["aws:username"] == "ada"
    assert ADA.condition_keys()["aws:PrincipalTag/tenant"] == "t1"
    assert "aws:username" not in WEB.condition_keys()
    assert WEB.condition_keys()["aws:PrincipalType"] == "AssumedRole"
    assert WEB.condition_keys()["aws:userid"] == "AROAWEB:s1"


@pytest.mark.parametrize(
    ("principal", "grant"),
    [
        ("*", Grant.ROLE),
        ({"AWS": "*"}, Grant.ROLE),
        ({"AWS": ["123456789012"]}, Grant.ACCOUNT),
        ({"AWS": "arn:aws:iam::123456789012:root"}, Grant.ACCOUNT),
        ({"AWS": "arn:aws:iam::123456789012:role/service/web"}, Grant.ROLE),
        ({"AWS": ["123456789012", "arn:aws:sts::123456789012:assumed-role/web/s1"]}, Grant.ITSELF),
        ({"AWS": "arn:aws:iam::123456789012:role/*"}, Grant.NONE),
        ({"Service": "*"}, Grant.NONE),
        ({"AWS": "210987654321"}, Grant.NONE),
    ],
)
def test_principals_that_name_a_session(principal: object, grant: Grant) -> None:
    assert WEB.named_by(principal) is grant


def test_names_are_not_case_sensitive() -> None:
    context = RequestContext({"dynamodb:LeadingKeys": ["a", "b"], "aws:username": "ada"})
    assert context.values("DYNAMODB:leadingkeys") == ("a", "b")
    assert context.value("aws:UserName") == "ada"
    assert context.value("dynamodb:LeadingKeys") is None


def test_a_key_without_values_is_absent() -> None:
    assert RequestContext({"dynamodb:LeadingKeys": []}).values("dynamodb:LeadingKeys") is None


def test_merged_keys_replace_others() -> None:
    context = RequestContext({"a": "1", "b": "2"}).merged({"B": "3", "c": "4"})
    assert [context.value(key) for key in "abc"] == ["1", "3", "4"]
