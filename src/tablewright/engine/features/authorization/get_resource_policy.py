"""GetResourcePolicy: show the policy of a table or a stream."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.authorization.canonical_policies import with_version
from tablewright.engine.features.authorization.resource_policies import (
    RESOURCE_ARN,
    policy_of,
    require_resource,
)

NAME = "GetResourcePolicy"
MODE = "read"
SHAPE = Shape(ResourceArn=RESOURCE_ARN)


def parse(request: dict[str, Any]) -> str:
    """The ARN of the resource."""
    return require_resource(request["ResourceArn"])


def run(tx: Reading, request: str) -> Reply:
    """The policy in its canonical form, and its revision."""
    entry = policy_of(tx, request)
    return {"Policy": with_version(entry["Policy"]), "RevisionId": entry["RevisionId"]}
