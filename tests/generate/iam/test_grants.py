"""Grants: statements by action, and documents within the limit of AWS."""

from typing import Any

import pytest

from tablewright import Table
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import MOST_CHARACTERS, Grants, TableArns, document, size, split
from tablewright.generate.iam.partition_patterns import PartitionPattern

USERS, CODES, ANY = PartitionPattern("USER#*"), PartitionPattern("CODE"), PartitionPattern("*")


def test_an_action_has_one_statement_with_all_its_partitions() -> None:
    """The keys of one BatchGetItem may be of several patterns, and must be in one statement."""
    grants = Grants()
    grants.add("t", ["GetItem", "BatchGetItem"], [USERS])
    grants.add("t", ["BatchGetItem"], [CODES])
    batch, get = grants.statements()
    assert batch["Action"] == ["dynamodb:BatchGetItem"]
    assert batch["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] == ["CODE", "USER#*"]
    assert get["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] == ["USER#*"]
    assert batch["Condition"]["Null"] == {"dynamodb:LeadingKeys": "false"}


def test_keys_without_wildcards_are_compared_exactly() -> None:
    grants = Grants()
    grants.add("t", ["GetItem"], [CODES, PartitionPattern("a${*}b")])
    (statement,) = grants.statements()
    assert statement["Condition"]["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"] == ["CODE", "a${*}b"]


def test_a_key_of_any_form_and_a_scan_have_no_condition() -> None:
    grants = Grants()
    grants.add("t", ["GetItem"], [USERS, ANY])
    grants.add("t", ["Scan"])
    (statement,) = grants.statements()
    assert statement == {
        "Effect": "Allow",
        "Action": ["dynamodb:GetItem", "dynamodb:Scan"],
        "Resource": "t",
    }


def test_attributes_limit_an_action_only_if_all_its_users_name_them() -> None:
    grants = Grants()
    grants.add("t", ["Query"], [CODES], ["PK", "name"])
    (statement,) = grants.statements()
    assert statement["Condition"]["ForAllValues:StringEquals"]["dynamodb:Attributes"] == ["PK", "name"]
    assert statement["Condition"]["StringEqualsIfExists"] == {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}
    grants.add("t", ["Query"], [CODES])
    (statement,) = grants.statements()
    assert "dynamodb:Attributes" not in str(statement)


def statement(number: int, length: int = 100) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": ["dynamodb:GetItem"], "Resource": f"{number:03}" + "x" * length}


def test_long_policies_are_split_and_nothing_is_lost() -> None:
    statements = [statement(number) for number in range(100)]
    made = list(split(statements))
    assert len(made) > 1
    assert [each for part in made for each in part["Statement"]] == statements
    assert all(size(part) <= MOST_CHARACTERS for part in made)
    assert size(document([*made[0]["Statement"], made[1]["Statement"][0]])) > MOST_CHARACTERS


def test_short_policies_are_one_document() -> None:
    assert len(list(split([statement(1), statement(2)]))) == 1
    assert list(split([])) == []


def test_a_statement_that_is_too_long_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"a policy at most 6144; give the role fewer patterns"):
        list(split([statement(1, 7000)]))


def test_white_space_does_not_count() -> None:
    assert size({"a": [1, 2]}) == len('{"a":[1,2]}')


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
