"""Required permissions: every operation is mapped, to actions that IAM knows."""

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.policies import Caller, Principal
from tablewright.engine.core.operations import NOT_IMPLEMENTED
from tablewright.engine.database import Database
from tablewright.engine.feature_list import operation_names
from tablewright.engine.features.authorization.authorizations import REQUIRED, Authorization
from tablewright.errors import AccessDenied
from tests.engine.features.authorization.permission_cases import database, needs
from tests.golden import arrows

pytestmark = pytest.mark.figure

DOCUMENTED = Path(__file__).parents[4] / "docs/reference/operations.md"
# Newer than the definitions of the linter.
NEWER = {
    "SearchVectors",
    "StartBulkPutItems",
    "DescribeBulkOperation",
    "ListBulkOperations",
    "CancelBulkOperation",
    "ReadDataForReplication",
}
CASES = [
    (question.partition(" ")[0], json.loads(question.partition(" ")[2]))
    for name in ("items", "statements", "tables")
    for question, _ in arrows(f"policies/{name}.txt")
]


@cache
def known_actions() -> set[str]:
    """The actions of DynamoDB that the linter `parliament` knows."""
    package = find_spec("parliament")
    assert package is not None
    assert package.origin is not None
    services = json.loads(Path(package.origin).with_name("iam_definition.json").read_text())
    (service,) = (each for each in services if each["prefix"] == "dynamodb")
    return {each["privilege"] for each in service["privileges"]}


def test_every_operation_is_mapped() -> None:
    assert set(operation_names()) <= set(REQUIRED)


def test_every_documented_operation_is_mapped() -> None:
    implemented = DOCUMENTED.read_text().partition("## Not implemented")[0]
    names = {
        name
        for line in implemented.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`([A-Z]\w+)`", line.split("|")[1])
    }
    assert len(names) > 50
    assert names <= set(REQUIRED)


def test_only_operations_are_mapped() -> None:
    assert set(REQUIRED) <= {*operation_names(), *NOT_IMPLEMENTED}


@pytest.fixture(scope="module")
def db() -> Database:
    return database()


@pytest.mark.parametrize(("operation", "request_"), CASES, ids=lambda case: str(case)[:40])
def test_actions_are_those_of_iam(db: Database, operation: str, request_: dict[str, Any]) -> None:
    actions = {need.action for need in needs(db, operation, request_) if need is not None}
    assert actions
    assert {each.removeprefix("dynamodb:") for each in actions if each.startswith("dynamodb:")} <= (
        known_actions() | NEWER
    )


@pytest.mark.parametrize(("operation", "request_"), CASES, ids=lambda case: str(case)[:40])
def test_a_caller_without_policies_is_denied_every_operation(
    db: Database, operation: str, request_: dict[str, Any]
) -> None:
    by = Authorization(Caller(Principal("user", "ada")))
    if operation == "BatchExecuteStatement":
        responses = db.call(operation, request_, by)["Responses"]
        assert [each["Error"]["Code"] for each in responses] == [
            "ValidationError" if need is None else "AccessDenied" for need in needs(db, operation, request_)
        ]
        return
    with pytest.raises(AccessDenied, match=r"User: arn:aws:iam::123456789012:user/ada is not authorized"):
        db.call(operation, request_, by)


def test_the_cases_contain_every_operation() -> None:
    """Those that are left out have the same mapping as another."""
    left_out = set(operation_names()) - {operation for operation, _ in CASES}
    assert left_out <= {
        "DescribeKinesisStreamingDestination",
        "DisableKinesisStreamingDestination",
        "EnableKinesisStreamingDestination",
        "PutResourcePolicy",
        "UpdateContinuousBackups",
        "UpdateKinesisStreamingDestination",
    }
