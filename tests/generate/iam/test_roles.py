"""Roles: which options fit which role, and rights in KMS and S3."""

from typing import Any

import pytest

from tablewright import Design, Entity, Table
from tablewright.errors import UsageError
from tablewright.generate.iam.roles import Role, role_policies
from tests.generate.iam.role_server import arns
from tests.generate.iam.shop import design

KEY = "arn:aws:kms:eu-north-1:123456789012:key/11111111-2222-3333-4444-555555555555"


class Note(Entity, table=Table("notes", key="id")):
    id: str


plain = Design("plain", entities=[Note])


def statements(of: Design = design, **limits: Any) -> list[dict[str, Any]]:
    documents = role_policies(of, arns(), Role(**limits))
    return [statement for document in documents for statement in document["Statement"]]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"name": "admin"}, "there is no role admin; the roles are: service, stream-consumer"),
        ({"name": "operator", "tenant": "user_id"}, "--tenant is for the role service, not for operator"),
        ({"name": "read-only", "only": ["BasketOf"]}, "--only is for the role service, not for read-only"),
        ({"name": "operator", "may_shred": True}, "--may-shred is for the role service"),
        ({"bucket": "b"}, "--bucket is for the role operator, not for service"),
        ({"shared": ["BasketOf"]}, "--shared says what tenants share; give --tenant too"),
        (
            {"tenant": "user_id", "only": ["LinesOf"], "shared": ["BasketOf"]},
            "--shared BasketOf is not among the patterns and entities of --only",
        ),
        (
            {"tenant": "user_id", "only": ["LinesOf"], "shared": ["Lines"]},
            "shop has no pattern or entity Lines",
        ),
        ({"tenant": "user_id", "only": ["LinesOf"], "may_shred": True}, "do not give --tenant"),
        ({"kms_key": "alias/x"}, "alias/x is not the ARN of a KMS key"),
        ({"name": "read-only", "kms_key": KEY}, "read-only people decrypt nothing"),
        ({"name": "operator", "bucket": "s3://b/x"}, "'s3://b/x' is not the name of a bucket"),
    ],
)
def test_options_that_do_not_fit(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        statements(**limits)
    assert message in str(caught.value)


def test_options_that_the_design_has_no_use_for() -> None:
    with pytest.raises(UsageError, match="plain has no secret fields"):
        statements(plain, kms_key=KEY)
    with pytest.raises(UsageError, match="--may-shred is for the keys of secret fields, and plain has none"):
        statements(plain, may_shred=True)
    with pytest.raises(UsageError, match="no table of plain has a stream; declare one"):
        statements(plain, name="stream-consumer")


@pytest.mark.parametrize(
    ("role", "actions"),
    [
        ("service", ["kms:Decrypt", "kms:Encrypt"]),
        ("stream-consumer", ["kms:Decrypt"]),
        ("operator", ["kms:Decrypt", "kms:Encrypt"]),
    ],
)
def test_the_master_key(role: str, actions: list[str]) -> None:
    assert {"Effect": "Allow", "Action": actions, "Resource": KEY} in statements(name=role, kms_key=KEY)


def test_shredding_deletes_keys() -> None:
    shredding = [each for each in statements(may_shred=True) if "shop-keys" in each["Resource"]]
    assert {"dynamodb:DeleteItem", "dynamodb:Query"} <= {
        action for each in shredding for action in each["Action"]
    }
    assert "shop-keys" not in str([each for each in statements() if "dynamodb:DeleteItem" in each["Action"]])


def test_the_operator_exports_to_a_bucket() -> None:
    objects = [each for each in statements(name="operator", bucket="exports") if "s3:" in str(each["Action"])]
    assert {each["Resource"] for each in objects} == {"arn:aws:s3:::exports", "arn:aws:s3:::exports/*"}
    assert {"s3:PutObject", "s3:PutObjectAcl", "s3:AbortMultipartUpload"} <= set(objects[1]["Action"])
    assert "s3:" not in str(statements(name="operator"))


def test_the_operator_of_imports_lets_aws_log_their_errors() -> None:
    made = statements(name="operator", bucket="b")
    logs, groups = (each for each in made if "logs:" in str(each["Action"]))
    assert (groups["Action"], groups["Resource"]) == (["logs:DescribeLogGroups"], "*")
    assert logs["Resource"] == "arn:aws:logs:eu-north-1:123456789012:log-group:/aws-dynamodb/*"
    assert {"logs:CreateLogGroup", "logs:PutLogEvents"} <= set(logs["Action"])
    assert "logs:" not in str(statements(name="operator"))


def test_the_operator_may_choose_the_key_of_a_table() -> None:
    table = Table("notes", "id", encryption_key=KEY)
    *_, key_rights = statements(Design("notes", tables=[table]), name="operator")
    assert key_rights["Resource"] == KEY
    assert {"kms:CreateGrant", "kms:GenerateDataKey", "kms:ReEncryptFrom"} <= set(key_rights["Action"])
