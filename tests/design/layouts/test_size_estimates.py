"""Size estimates grow with the type, as item sizes do."""

from datetime import datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from tablewright.design.layouts.size_estimates import estimated_size, largest_size


class Point(BaseModel):
    x: int
    longitude: int = Field(alias="lon")


class Tree(BaseModel):
    name: str
    left: "Tree | None" = None


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (int, 8),
        (datetime | None, 24),
        (Literal["a", "abc"], 3),
        (list[int], 3 + 1 + 8),
        (Point, 3 + (1 + 1 + 8) + (3 + 1 + 8)),
        (Any, 100),
        (Tree, 3 + (4 + 1 + 36) + (4 + 1 + 100)),
    ],
)
def test_estimated_size(annotation: Any, size: int) -> None:
    assert estimated_size(annotation) == size


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (str, 36),
        (Annotated[str, Field(max_length=500)] | None, 500),
        (Annotated[list[int], Field(max_length=10)], 3 + 10 * 9),
        (Annotated[dict[str, int], Field(max_length=10)], 3 + 10 * (1 + 36 + 8)),
        (list[Annotated[str, Field(max_length=500)]], 3 + 1 + 36),
        (Point, 3 + (1 + 1 + 8) + (3 + 1 + 8)),
        (Tree, 3 + (4 + 1 + 36) + (4 + 1 + 100)),
    ],
)
def test_largest_size(annotation: Any, size: int) -> None:
    assert largest_size(annotation) == size
