"""KMS: keys of tables are used through DynamoDB only."""

from tablewright import Table
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.kms_rights import grant_table_keys
from tests.generate.iam.role_server import arns

SERVICE = {"kms:ViaService": "dynamodb.eu-north-1.amazonaws.com"}
ARN = "arn:aws:kms:eu-north-1:123456789012:key/1111"


def granted(*keys: str) -> list[dict[str, object]]:
    tables = [Table(f"table{number}", key="id", encryption_key=key) for number, key in enumerate(keys)]
    grants = Grants()
    grant_table_keys(grants, [*tables, Table("plain", key="id")], arns(), ("kms:Decrypt",))
    return grants.statements()


def test_a_key_arn() -> None:
    condition = {"StringEquals": SERVICE}
    expected = {"Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": ARN, "Condition": condition}
    assert granted(ARN, ARN) == [expected]


def test_an_alias_is_a_condition() -> None:
    (statement,) = granted("alias/orders")
    assert statement["Resource"] == "arn:aws:kms:eu-north-1:123456789012:key/*"
    assert statement["Condition"] == {
        "StringEquals": SERVICE,
        "ForAnyValue:StringEquals": {"kms:ResourceAliases": "alias/orders"},
    }


def test_the_key_of_aws_needs_no_rights() -> None:
    assert granted("alias/aws/dynamodb") == []
