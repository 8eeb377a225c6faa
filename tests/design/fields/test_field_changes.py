"""The methods of an attribute make changes, which are values."""

from typing import Any

from tablewright.design.fields.field_changes import (
    AddTo,
    Append,
    Discard,
    LowerTo,
    Prepend,
    RaiseTo,
    Remove,
    SetIfAbsent,
    SetTo,
)
from tests.access import depot

Box: Any = depot.Box
Safe: Any = depot.Safe


def test_each_method_makes_its_change() -> None:
    made = {
        Box.name.set("x"): SetTo,
        Box.name.remove(): Remove,
        Box.name.set_if_absent("x"): SetIfAbsent,
        Box.weight.add(1): AddTo,
        Box.tags.add("x", "y"): AddTo,
        Box.tags.discard("x"): Discard,
        Box.history.append("x"): Append,
        Box.history.prepend("x"): Prepend,
        Box.weight.raise_to(1): RaiseTo,
        Box.weight.lower_to(1): LowerTo,
    }
    assert [type(change) for change in made] == list(made.values())


def test_changes_are_compared_by_their_place_and_values() -> None:
    assert Box.home.city.set("x") == Box.home.city.set("x")
    assert Box.home.city.set("x") != Box.home.city.set("y")
    assert Box.name.set("x") != Box.name.set_if_absent("x")


def test_members_of_a_set_are_given_one_by_one_or_as_a_set() -> None:
    assert Box.tags.add("x").values == Box.tags.add({"x"}).values == ("x",)


def test_a_change_is_shown_as_it_is_written() -> None:
    assert (
        repr(Box.addresses["home"].lines.append("a", "b")) == "Box.addresses['home'].lines.append('a', 'b')"
    )
    assert Box.history[0].remove().shown == "Box.history[0].remove()"
    assert Box.name.set("x").shown == "Box.name.set(...)"


def test_the_values_of_a_secret_field_are_masked() -> None:
    assert repr(Safe.words.append("hunter2")) == "Safe.words.append('***')"
    assert repr(Safe.rooms["a"].set("hunter2")) == "Safe.rooms['a'].set('***')"
