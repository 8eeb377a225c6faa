"""DeleteResourcePolicy: remove the policy of a table or a stream."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Writing
from tablewright.engine.features.authorization.resource_policies import (
    RESOURCE_ARN,
    REVISION,
    delete_policy,
    require_resource,
)

NAME = "DeleteResourcePolicy"
MODE = "write"
SHAPE = Shape(ResourceArn=RESOURCE_ARN, ExpectedRevisionId=REVISION)


@dataclass(frozen=True, slots=True)
class DeleteResourcePolicy:
    """Parsed DeleteResourcePolicy request."""

    arn: str
    expected: str | None


def parse(request: dict[str, Any]) -> DeleteResourcePolicy:
    """Parse the request."""
    return DeleteResourcePolicy(require_resource(request["ResourceArn"]), request.get("ExpectedRevisionId"))


def run(tx: Writing, request: DeleteResourcePolicy) -> Reply:
    """Remove the policy, if there is one; the reply has the revision of the removed policy."""
    revision = delete_policy(tx, request.arn, request.expected)
    return {} if revision is None else {"RevisionId": revision}
