"""`fields.computed`: a property that reads only the fields it names."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import Entity, Table, fields
from tablewright.design.fields.computed_fields import SOURCES
from tablewright.errors import DesignError, UsageError


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


def test_a_computed_field_cannot_be_compared() -> None:
    class Order(Entity, table=Table("orders", key="id")):
        id: str

        @fields.computed("id")
        def initial(self) -> str:
            return self.id[0]

    words = "initial is computed, and stored only in keys; a condition compares the fields that it is computed from"
    uses: list[Callable[[Any], Any]] = [
        lambda field: field == "a",
        lambda field: field > "a",
        lambda field: field.one_of("a"),
    ]
    for use in uses:
        with pytest.raises(UsageError, match=f"Order.{words}"):
            use(Order.initial)
    with pytest.raises(TypeError, match=r"not Order\.initial is computed, and stored only in keys"):
        fields.of(Order.initial)
    assert Order(id="xyz").initial == "x"
