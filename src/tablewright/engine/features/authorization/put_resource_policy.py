"""PutResourcePolicy: attach a policy to a table or a stream."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Boolean, Shape, Text, required
from tablewright.engine.core.sessions import Writing
from tablewright.engine.features.authorization.canonical_policies import canonical
from tablewright.engine.features.authorization.resource_policies import (
    RESOURCE_ARN,
    REVISION,
    is_stream,
    put_policy,
    require_resource,
)

NAME = "PutResourcePolicy"
MODE = "write"
SHAPE = Shape(
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


def parse(request: dict[str, Any]) -> PutResourcePolicy:
    """Parse the request."""
    arn = require_resource(request["ResourceArn"])
    policy = canonical(request["Policy"], of_stream=is_stream(arn))
    return PutResourcePolicy(arn, policy, request.get("ExpectedRevisionId"))


def run(tx: Writing, request: PutResourcePolicy) -> Reply:
    """Store the policy under a new revision."""
    return {"RevisionId": put_policy(tx, request.arn, request.policy, request.expected)}
