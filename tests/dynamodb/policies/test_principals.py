"""Principals: their ARNs and condition keys, and the principals that name them."""

import pytest

from tablewright.dynamodb.policies.principals import Grant, Principal

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
