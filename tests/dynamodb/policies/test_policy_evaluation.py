"""Evaluation: the golden cases of AWS's documented evaluation logic, and the message of a denial."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.policies.policy_documents import parse_document
from tablewright.dynamodb.policies.policy_evaluation import Caller, Permission, decide
from tablewright.dynamodb.policies.principals import Principal, RequestContext
from tests.golden import CASES

pytestmark = pytest.mark.figure

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/t"
LINE = re.compile(
    r"(?P<kind>identity|resource|boundary) (?P<effect>Allow|Deny) (?P<action>(?:not )?\S+) on "
    r"(?P<resource>(?:not )?\S+)"
    r"(?: to (?P<principal>.+?))?(?: if (?P<condition>.+))?"
)


def blocks() -> Iterator[list[str]]:
    text = (CASES / "policies/evaluation.txt").read_text()
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            yield lines


def element(name: str, given: str, read: Any = str) -> dict[str, Any]:
    return {f"Not{name}": read(given[4:])} if given.startswith("not ") else {name: read(given)}


def statement(match: re.Match[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"Effect": match["effect"]}
    found |= element("Action", match["action"]) | element("Resource", match["resource"])
    if match["principal"]:
        found |= element("Principal", match["principal"], json.loads)
    if match["condition"]:
        found["Condition"] = json.loads(match["condition"])
    return found


def document(statements: list[dict[str, Any]], *, of_resource: bool = False) -> Any:
    return parse_document({"Version": "2012-10-17", "Statement": statements}, of_resource=of_resource)


@pytest.mark.parametrize("lines", list(blocks()), ids=" / ".join)
def test_documented_cases(lines: list[str]) -> None:
    _, kind, who = lines[0].split()
    name, _, account = who.partition("@")
    name, _, session = name.partition("/")
    policies: dict[str, list[dict[str, Any]]] = {"identity": [], "resource": [], "boundary": []}
    requests = []
    for line in lines[1:]:
        if (match := LINE.fullmatch(line)) is not None:
            policies[match["kind"]].append(statement(match))
        else:
            requests.append(line.split(" -> "))
    assert requests
    caller = Caller(
        Principal("user" if kind == "user" else "role", name, account or "123456789012", session),
        policies=(document(policies["identity"]),) if policies["identity"] else (),
        boundary=document(policies["boundary"]) if policies["boundary"] else None,
    )
    of_table = document(policies["resource"], of_resource=True) if policies["resource"] else None
    for action, expected in requests:
        denial = decide(caller, Permission(f"dynamodb:{action}", TABLE, RequestContext({})), of_table)
        assert (denial.reason if denial else "allowed") == expected, lines


def test_a_denial_is_in_the_words_of_aws() -> None:
    denial = decide(
        Caller(Principal("role", "web", session="s")), Permission("dynamodb:Scan", TABLE, RequestContext({}))
    )
    assert denial is not None
    assert denial.message == (
        "User: arn:aws:sts::123456789012:assumed-role/web/s is not authorized to perform: dynamodb:Scan on resource: "
        f"{TABLE} because no identity-based policy allows the dynamodb:Scan action"
    )


def test_the_caller_cannot_be_replaced_by_keys_of_the_request() -> None:
    own = document(
        [
            {
                "Effect": "Allow",
                "Action": "*",
                "Resource": "*",
                "Condition": {"StringEquals": {"aws:PrincipalTag/tenant": "t1"}},
            }
        ]
    )
    forged = RequestContext({"aws:PrincipalTag/tenant": "t1"})
    assert decide(
        Caller(Principal("user", "ada", tags={"tenant": "t2"}), (own,)),
        Permission("dynamodb:Scan", TABLE, forged),
    )


def test_a_resource_without_account_belongs_to_the_account_of_the_caller() -> None:
    allow = document([{"Effect": "Allow", "Action": "dynamodb:ListTables", "Resource": "*"}])
    caller = Caller(Principal("user", "ada", "210987654321"), (allow,))
    assert decide(caller, Permission("dynamodb:ListTables", "*", RequestContext({}))) is None
