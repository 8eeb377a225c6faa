"""TagResource: add tags to a table, replacing those with the same keys."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape, Text
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TAGS
from tablewright.engine.core.tables.tags import read_tags, require_arn, require_few, tagged
from tablewright.errors import ValidationError

NAME = "TagResource"
MODE = "write"
SHAPE = Shape(ResourceArn=Text(), Tags=TAGS)


@dataclass(frozen=True, slots=True)
class TagResource:
    """Parsed TagResource request."""

    arn: str
    tags: dict[str, str]


def parse(request: dict[str, Any]) -> TagResource:
    """Parse the request."""
    arn = require_arn(request.get("ResourceArn"))
    if request.get("Tags") is None:
        raise ValidationError(
            "1 validation error detected: Value null at 'tags' failed to satisfy constraint: Member must not be null"
        )
    if not request["Tags"]:
        raise ValidationError("Atleast one Tag needs to be provided as Input.")
    return TagResource(arn, read_tags(request["Tags"]))


def run(tx: Writing, request: TagResource) -> Reply:
    """Add the tags to those the table has."""
    table = tagged(tx, request.arn, NAME)
    tags = {**table.definition.get("Tags", {}), **request.tags}
    require_few(tags)
    tx.state.catalog.save(tx.rows, {**table.definition, "Tags": tags})
    return {}
