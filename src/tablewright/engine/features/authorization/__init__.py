"""Authorization: the permissions that each request needs, and their check against policies; resource policies."""

from collections.abc import Mapping
from typing import Any

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.requests.shapes import Text
from tablewright.engine.core.requests.unsupported import REQUEST_MEMBERS
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_definitions import NEW_TABLE_CHECKS, NEW_TABLES


def _require_policy(request: Mapping[str, Any]) -> None:
    from tablewright.engine.features.authorization.resource_policies import require_policy

    require_policy(request)


def _attach_policy(tx: Writing, definition: dict[str, Any], request: Mapping[str, Any]) -> None:
    from tablewright.engine.features.authorization.resource_policies import attach_policy

    attach_policy(tx, definition, request)


FEATURE = Feature(
    name="authorization",
    operations={
        "DeleteResourcePolicy": "resource_policies",
        "GetResourcePolicy": "resource_policies",
        "PutResourcePolicy": "resource_policies",
    },
    members=("Policies",),
    parts=(
        REQUEST_MEMBERS.part(("CreateTable", "ResourcePolicy", Text())),
        NEW_TABLE_CHECKS.part(_require_policy),
        NEW_TABLES.part(_attach_policy),
    ),
)
