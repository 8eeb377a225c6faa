"""Scalars: valid values, wrong JSON types, and violated constraints in AWS's words."""

from typing import Any

import pytest

from tablewright.engine.core.requests.scalars import Blob, Boolean, Member, Number, TableName, Text, java_text
from tablewright.errors import SerializationError

NAME = TableName(shortest=1, longest=255, pattern="[a-zA-Z0-9_.-]+")


@pytest.mark.parametrize(
    ("member", "value", "accepted"),
    [
        (Text(shortest=2, longest=3), "ab", True),
        (Text(shortest=2, longest=3), "abcd", False),
        (Text(pattern="[a-z]+"), "ab1", False),
        (Text(choices=("A", "B")), "B", True),
        (Text(choices=("A", "B")), "C", False),
        (Text(), 1, False),
        (Number(), 5, True),
        (Number(), True, False),
        (Boolean(), False, True),
        (Boolean(), "true", False),
        (NAME, "music", True),
        (NAME, "ab", False),
        (NAME, "arn:aws:dynamodb:us-east-1:123456789012:table/music", True),
        (NAME, "arn:aws:s3:::bucket", False),
        (Blob(), b"x", True),
        (Blob(), 5, False),
    ],
)
def test_a_member_accepts_values_within_its_constraints(member: Member, value: Any, accepted: bool) -> None:
    assert member.accepts(value) is accepted


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        (Text(), 5, "NUMBER_VALUE cannot be converted to String"),
        (Text(), True, "TRUE_VALUE cannot be converted to String"),
        (Number(), "5", "STRING_VALUE cannot be converted to"),
        (Boolean(), 5, "NUMBER_VALUE cannot be converted to Boolean"),
        (Text(), {}, "Start of structure or map found where not expected"),
        (Blob(), "abc", "expected a multiple of 4 bytes but found: 3"),
        (Blob(), 5, "only base-64-encoded strings are convertible to bytes"),
    ],
)
def test_a_wrong_json_type_is_a_serialization_error(member: Member, value: Any, message: str) -> None:
    with pytest.raises(SerializationError, match=message):
        member.require_type(value)


def test_each_violated_constraint_has_its_message() -> None:
    member = Text(shortest=3, longest=255, pattern="[a-z]+")
    assert list(member.violations("A", "tableName")) == [
        "Value 'A' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-z]+",
        "Value 'A' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 3",
    ]
    assert list(Text(choices=("A", "B")).violations("C", "select")) == [
        "Value 'C' at 'select' failed to satisfy constraint: Member must satisfy enum value set: [A, B]"
    ]


def test_values_are_shown_as_in_java() -> None:
    assert java_text({"a": [True, 1, "x"]}) == "{a=[true, 1, x]}"


def test_a_valid_arn_of_a_table_has_no_violations() -> None:
    """Members that are valid are asked for their violations too, when another member is invalid."""
    member = TableName(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/users"
    assert list(member.violations(arn, "tableName")) == []
    assert len(list(member.violations("arn:aws:dynamodb", "tableName"))) == 1
