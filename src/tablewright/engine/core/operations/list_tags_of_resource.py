"""ListTagsOfResource: list the tags of a table, at most 50, on one page as AWS does."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape, Text
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.tags import require_arn, tagged

NAME = "ListTagsOfResource"
MODE = "read"
SHAPE = Shape(ResourceArn=Text(), NextToken=Text())


def parse(request: dict[str, Any]) -> str:
    """The table's ARN."""
    return require_arn(request.get("ResourceArn"))


def run(tx: Reading, request: str) -> Reply:
    """All tags of the table."""
    tags = tagged(tx, request, NAME).definition.get("Tags", {})
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
