"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy: the policy of a table or a stream."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Boolean, Shape, Text, required
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.features.authorization.canonical_policies import canonical, with_version
from tablewright.engine.features.authorization.resource_policies import (
    RESOURCE_ARN,
    REVISION,
    delete_policy,
    is_stream,
    policy_of,
    put_policy,
    require_resource,
)

_PUT_RESOURCE_POLICY = Shape(
    ResourceArn=RESOURCE_ARN,
    Policy=required(Text()),
    ExpectedRevisionId=REVISION,
    # AWS rejects a policy that denies its author the next change, unless this is true; here no confirmation is needed.
    ConfirmRemoveSelfResourceAccess=Boolean(),
)


@dataclass(frozen=True, slots=True)
class PutResourcePolicy:
    """Parsed PutResourcePolicy request; the policy is in its canonical form."""

    arn: str
    policy: str
    expected: str | None


def _parse_put_resource_policy(request: dict[str, Any]) -> PutResourcePolicy:
    """Parse the request."""
    arn = require_resource(request["ResourceArn"])
    policy = canonical(request["Policy"], of_stream=is_stream(arn))
    return PutResourcePolicy(arn, policy, request.get("ExpectedRevisionId"))


def _run_put_resource_policy(tx: Writing, request: PutResourcePolicy) -> Reply:
    """Store the policy under a new revision."""
    return {"RevisionId": put_policy(tx, request.arn, request.policy, request.expected)}


_GET_RESOURCE_POLICY = Shape(ResourceArn=RESOURCE_ARN)


def _parse_get_resource_policy(request: dict[str, Any]) -> str:
    """The ARN of the resource."""
    return require_resource(request["ResourceArn"])


def _run_get_resource_policy(tx: Reading, request: str) -> Reply:
    """The policy in its canonical form, and its revision."""
    entry = policy_of(tx, request)
    return {"Policy": with_version(entry["Policy"]), "RevisionId": entry["RevisionId"]}


_DELETE_RESOURCE_POLICY = Shape(ResourceArn=RESOURCE_ARN, ExpectedRevisionId=REVISION)


@dataclass(frozen=True, slots=True)
class DeleteResourcePolicy:
    """Parsed DeleteResourcePolicy request."""

    arn: str
    expected: str | None


def _parse_delete_resource_policy(request: dict[str, Any]) -> DeleteResourcePolicy:
    """Parse the request."""
    return DeleteResourcePolicy(require_resource(request["ResourceArn"]), request.get("ExpectedRevisionId"))


def _run_delete_resource_policy(tx: Writing, request: DeleteResourcePolicy) -> Reply:
    """Remove the policy, if there is one; the reply has the revision of the removed policy."""
    revision = delete_policy(tx, request.arn, request.expected)
    return {} if revision is None else {"RevisionId": revision}


OPERATIONS = (
    Operation(
        "PutResourcePolicy",
        _PUT_RESOURCE_POLICY,
        "write",
        _parse_put_resource_policy,
        _run_put_resource_policy,
    ),
    Operation(
        "GetResourcePolicy",
        _GET_RESOURCE_POLICY,
        "read",
        _parse_get_resource_policy,
        _run_get_resource_policy,
    ),
    Operation(
        "DeleteResourcePolicy",
        _DELETE_RESOURCE_POLICY,
        "write",
        _parse_delete_resource_policy,
        _run_delete_resource_policy,
    ),
)
