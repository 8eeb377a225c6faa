"""`fields.computed`: a property that reads only the fields it names."""

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import fields
from tablewright.design.fields.computed_fields import SOURCES
from tablewright.errors import DesignError


class Box(BaseModel):
    width: int
    height: int = 2

    @fields.computed("width")
    def double(self) -> int:
        return 2 * self.width

    @fields.computed("width")
    def area(self) -> int:
        return self.width * self.height


def test_the_value_is_computed_each_time_and_has_a_type() -> None:
    box = Box(width=3)
    assert box.double == 6
    assert box.model_copy(update={"width": 4}).double == 8
    assert Box.model_computed_fields["double"].return_type is int


def test_the_sources_are_kept_with_the_field() -> None:
    extra: Any = Box.model_computed_fields["double"].json_schema_extra
    assert extra == {SOURCES: ["width"]}


def test_other_fields_cannot_be_read() -> None:
    with pytest.raises(
        DesignError, match=r'Box.area uses height, .*; write @fields.computed\("width", "height"\)'
    ):
        Box(width=3).area  # noqa: B018


@pytest.mark.parametrize("sources", [(), (SimpleNamespace(),)])
def test_sources_are_names(sources: tuple[Any, ...]) -> None:
    with pytest.raises(DesignError, match="computed needs the names of its fields"):
        fields.computed(*sources)
