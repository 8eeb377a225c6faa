"""UntagResource: remove tags from a table; tags that it does not have are ignored."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import ListOf, Shape, Text
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.tags import require_arn, require_few, require_key, tagged
from tablewright.errors import ValidationError

NAME = "UntagResource"
MODE = "write"
SHAPE = Shape(ResourceArn=Text(), TagKeys=ListOf(Text()))


@dataclass(frozen=True, slots=True)
class UntagResource:
    """Parsed UntagResource request."""

    arn: str
    keys: frozenset[str]


def parse(request: dict[str, Any]) -> UntagResource:
    """Parse the request."""
    arn = require_arn(request.get("ResourceArn"))
    keys = request.get("TagKeys")
    if keys is None:
        raise ValidationError(
            "1 validation error detected: Value null at 'tagKeys' failed to satisfy constraint: "
            "Member must not be null"
        )
    if not keys:
        raise ValidationError("Atleast one Tag Key needs to be provided as Input.")
    for key in keys:
        require_key(key)
    require_few(keys)
    return UntagResource(arn, frozenset(keys))


def run(tx: Writing, request: UntagResource) -> Reply:
    """Keep the other tags."""
    table = tagged(tx, request.arn, NAME)
    tags = {key: value for key, value in table.definition.get("Tags", {}).items() if key not in request.keys}
    tx.state.catalog.save(tx.rows, {**table.definition, "Tags": tags})
    return {}
