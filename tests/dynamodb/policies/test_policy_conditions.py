"""Conditions: the golden cases of AWS's documented rules, and what depends on the effect or the version."""

import json
from typing import Any

import pytest

from tablewright.dynamodb.policies.policy_conditions import parse_conditions
from tablewright.dynamodb.policies.principals import RequestContext
from tablewright.errors import PolicyError
from tests.golden import arrows

pytestmark = pytest.mark.figure


def outcome(block: Any, keys: dict[str, Any]) -> str:
    try:
        conditions = parse_conditions(block, has_variables=True)
    except PolicyError:
        return "rejected"
    context = RequestContext(keys)
    return "holds" if all(each.holds(context, denies=False) for each in conditions) else "fails"


@pytest.mark.parametrize(("case", "expected"), arrows("policies/conditions.txt"))
def test_documented_cases(case: str, expected: str) -> None:
    block, _, keys = case.rpartition(" | ")
    assert outcome(json.loads(block), json.loads(keys)) == expected


def test_without_qualifier_one_value_is_enough_to_deny() -> None:
    (condition,) = parse_conditions({"StringEquals": {"dynamodb:LeadingKeys": "a"}}, has_variables=True)
    context = RequestContext({"dynamodb:LeadingKeys": ["a", "b"]})
    assert condition.holds(context, denies=True)
    assert not condition.holds(context, denies=False)


def test_the_old_version_has_no_variables() -> None:
    (condition,) = parse_conditions({"StringEquals": {"k": "${aws:username}"}}, has_variables=False)
    assert condition.holds(RequestContext({"aws:username": "ada", "k": "${aws:username}"}), denies=False)
    assert not condition.holds(RequestContext({"aws:username": "ada", "k": "ada"}), denies=False)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"StringMatches": {"k": "x"}}, "StringMatches is not a condition operator"),
        ({"NumericEquals": {"k": "ten"}}, "'ten' is not a number"),
        ({"IpAddress": {"k": "10.0.0.0/99"}}, "'10.0.0.0/99' is not an IP address or range"),
        ({"Null": {"k": "maybe"}}, "the value of Null must be true or false, got maybe"),
        ({"StringEquals": {"k": {}}}, "must be text, a number, true or false, got {}"),
    ],
)
def test_what_cannot_be_evaluated_is_rejected_by_name(block: Any, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_conditions(block, has_variables=True)
    assert message in str(caught.value)
