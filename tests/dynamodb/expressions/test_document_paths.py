"""Document paths: overlaps, conflicts, and the selected part of an item."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.document_paths import cover, require_disjoint, tree_of
from tablewright.dynamodb.expressions.nodes import Path
from tablewright.errors import ValidationError

ITEM: dict[str, Any] = {
    "m": {"M": {"k": {"N": "1"}, "l": {"L": [{"N": "0"}, {"M": {"x": {"S": "y"}}}]}}},
    "s": {"S": "text"},
}


def paths(*texts: str) -> list[Path]:
    """Paths such as `m.l.1.x`; digits are list indexes."""
    return [Path(tuple(int(part) if part.isdigit() else part for part in text.split("."))) for text in texts]


@pytest.mark.parametrize(
    ("given", "verb"),
    [
        (("a", "a"), "overlap"),
        (("a", "a.b"), "overlap"),
        (("a.b.c", "a.b"), "overlap"),
        (("a.b", "a.0"), "conflict"),
        (("a.b", "a.0", "c", "c"), "overlap"),
    ],
)
def test_paths_that_meet_are_rejected(given: tuple[str, ...], verb: str) -> None:
    with pytest.raises(ValidationError, match=f"Two document paths {verb} with each other"):
        require_disjoint(paths(*given), "UpdateExpression")


def test_paths_side_by_side_are_accepted() -> None:
    require_disjoint(paths("a.b", "a.c", "d.0", "d.1", "e"), "UpdateExpression")


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (("s",), {"s": {"S": "text"}}),
        (("m.k",), {"m": {"M": {"k": {"N": "1"}}}}),
        (("m.l.1.x",), {"m": {"M": {"l": {"L": [{"M": {"x": {"S": "y"}}}]}}}}),
        (("m.missing", "s.k", "m.l.9"), {}),
    ],
)
def test_the_part_of_an_item_at_the_paths(given: tuple[str, ...], part: object) -> None:
    assert cover(tree_of(paths(*given)), ITEM) == part
