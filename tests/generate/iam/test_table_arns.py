"""Table ARNs: accounts and regions are validated, and regions belong to partitions of AWS."""

import pytest

from tablewright import Table
from tablewright.errors import UsageError
from tablewright.generate.iam.table_arns import TableArns

TABLE = Table("app-{env}-tasks", key="id")


def test_arns_of_tables_and_indexes() -> None:
    arns = TableArns("eu-north-1", "123456789012", "main", prefix="x-")
    assert arns.of(TABLE) == "arn:aws:dynamodb:eu-north-1:123456789012:table/x-app-main-tasks"
    assert arns.of(TABLE, "GSI1").endswith("/x-app-main-tasks/index/GSI1")


@pytest.mark.parametrize("account", ["12", "", "12345678901a", "1234567890123", "123456789012 "])
def test_an_account_has_twelve_digits(account: str) -> None:
    with pytest.raises(UsageError, match="an AWS account ID has 12 digits"):
        TableArns("eu-north-1", account)


@pytest.mark.parametrize("region", ["", "eu", "eu-north", "eu north 1", "EU-NORTH-1", "*"])
def test_a_region_has_the_form_of_one(region: str) -> None:
    with pytest.raises(UsageError, match="is not an AWS region"):
        TableArns(region, "123456789012")


@pytest.mark.parametrize(
    ("region", "partition"),
    [("eu-north-1", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov"), ("us-east-1", "aws")],
)
def test_partitions(region: str, partition: str) -> None:
    assert TableArns(region, "123456789012").partition == partition
