"""Where a change applies: the stored path, the type, and whether it is validated with what is around it."""

from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tablewright.design.fields.change_places import Kind, accepts_none, element_type, kind_of, place_of
from tablewright.design.fields.entity_attributes import path_of
from tablewright.errors import InvalidWrite
from tests.access import depot

Box: Any = depot.Box


def place(attribute: Any) -> Any:
    return place_of(depot.Box, path_of(attribute))


def test_the_path_has_the_stored_names() -> None:
    assert place(Box.home.zip_code).stored == ("home", "zipCode")
    assert place(Box.addresses["zip_code"].zip_code).stored == ("addresses", "zip_code", "zipCode")
    assert place(Box.stops[2].lines[0]).stored == ("stops", 2, "lines", 0)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (int | None, "number"),
        (Annotated[Decimal, Field(gt=0)], "number"),
        (int | float, "number"),
        (bool, "other"),
        (Literal[1, 2], "other"),
        (list[str], "list"),
        (tuple[str, ...], "other"),
        (frozenset[int], "set"),
        (Any, "unknown"),
        (int | str, "unknown"),
    ],
)
def test_the_kind_decides_which_changes_apply(annotation: Any, kind: Kind) -> None:
    assert kind_of(annotation) == kind


def test_none_and_elements() -> None:
    assert accepts_none(Annotated[int | None, Field(ge=0)])
    assert not accepts_none(int)
    assert element_type(list[Annotated[str, "limit"]] | None) == Annotated[str, "limit"]


def test_the_default_of_an_absent_value() -> None:
    assert place(Box.home.visits).default == 5
    assert place(Box.home.lines).default == []
    assert place(Box.home.city).default is None
    assert place(Box.scores["a"]).default is None


def test_limits_and_validators_around_a_value() -> None:
    assert not place(Box.home.city).is_validated_with_parents
    assert place(Box.recent[0]).is_validated_with_parents
    assert place(Box.span.low).is_validated_with_parents
    assert place(Box.seats).is_limited
    assert not place(Box.taken).is_limited


def test_fields_of_other_entities_are_refused_by_name() -> None:
    attribute: Any = depot.Crate.level
    with pytest.raises(InvalidWrite, match=r"Crate\.level is a field of Crate, and the write changes a Box"):
        place(attribute)
