"""Size estimates grow with the type, as item sizes do."""

from datetime import datetime
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tablewright.design.layouts.size_estimates import estimated_size


class Point(BaseModel):
    x: int
    longitude: int = Field(alias="lon")


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (int, 8),
        (datetime | None, 24),
        (Literal["a", "abc"], 3),
        (list[int], 3 + 1 + 8),
        (Point, 3 + (1 + 1 + 8) + (3 + 1 + 8)),
        (Any, 100),
    ],
)
def test_estimated_size(annotation: Any, size: int) -> None:
    assert estimated_size(annotation) == size
