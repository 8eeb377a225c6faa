"""Changes applied in Python: `entity.changed(...)`."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.design.fields.applied_changes import added, overlap, placed_changes
from tablewright.errors import InvalidWrite
from tests.access import depot
from tests.access.depot import Address

Box: Any = depot.Box


def box(**values: Any) -> Any:
    return Box(box_id="1", **values)


def test_changes_and_values_go_together() -> None:
    before = box(history=["a"])
    after = before.changed(Box.history.append("b"), Box.home.city.set("Jena"), name="n")
    assert (after.history, after.home.city, after.name) == (["a", "b"], "Jena", "n")
    assert (before.history, before.home.city) == (["a"], "Bonn")


def test_the_index_of_an_element_is_that_in_the_old_list() -> None:
    after = box(history=["a", "b", "c"]).changed(
        Box.history[0].remove(), Box.history[1].remove(), Box.history[9].set("z"), Box.history[3].remove()
    )
    assert after.history == ["c", "z"]


def test_fields_that_were_not_given_still_count_as_not_given() -> None:
    after = box(home=Address(city="Ulm")).changed(Box.home.visits.add(1))
    assert after.model_fields_set == {"box_id", "home"}
    assert after.home.model_fields_set == {"city", "visits"}


def test_the_result_is_validated() -> None:
    with pytest.raises(InvalidWrite, match="low is above high"):
        box().changed(Box.span.low.set(11))
    with pytest.raises(ValueError, match="at most 3 items"):
        box(recent=["a", "b", "c"]).changed(Box.recent.append("d"))


def test_overlaps_and_absent_parents_are_named() -> None:
    with pytest.raises(InvalidWrite, match=r"Box\.home\.city\.set\(\.\.\.\) and home=\.\.\. overlap"):
        box().changed(Box.home.city.set("x"), home=Address(city="x"))
    with pytest.raises(
        InvalidWrite, match=r"Box\.address is None, so Box\.address\.city\.set\(\.\.\.\) cannot"
    ):
        box().changed(Box.address.city.set("x"))


def test_paths_overlap_when_one_is_inside_of_the_other() -> None:
    assert overlap(("a",), ("a", "b"))
    assert overlap(("a", 0), ("a", 0))
    assert not overlap(("a", "b"), ("a", "c"))


def test_sums_are_exact() -> None:
    large = Decimal("12345678901234567890123456789.000001")
    assert added(large, Decimal("0.000001")) == Decimal("12345678901234567890123456789.000002")
    assert added(1, Decimal("0.5")) == Decimal("1.5")
    with pytest.raises(InvalidWrite, match="a int cannot be added to the stored str"):
        added("x", 1)


def test_values_are_converted_as_the_class_does() -> None:
    (placed,) = placed_changes(depot.Box, [Box.price.set("1.5")])
    assert placed.value == Decimal("1.5")
