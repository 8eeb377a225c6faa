"""The expressions of changes, and whether they can be sent twice."""

from typing import Any

import pytest

from tablewright.access.condition_text import Aliases
from tablewright.access.writes.path_edits import PathEdit, in_order, path_edit, value_at
from tablewright.design.fields.applied_changes import placed_changes
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite
from tests.access import depot

Box: Any = depot.Box

TEXTS = [
    (Box.home.city.set("x"), "SET #0.#1 = :0"),
    (Box.home.zip_code.remove(), "REMOVE #0.#1"),
    (Box.home.floor.remove(), "SET #0.#1 = :0"),
    (Box.note.set_if_absent("x"), "SET #0 = if_not_exists(#0, :0)"),
    (Box.scores["a"].add(1), "SET #0.#1 = if_not_exists(#0.#1, :1) + :0"),
    (Box.history.append("x"), "SET #0 = list_append(if_not_exists(#0, :1), :0)"),
    (Box.history.prepend("x"), "SET #0 = list_append(:0, if_not_exists(#0, :1))"),
    (Box.history[3].remove(), "REMOVE #0[3]"),
    (Box.tags.discard("x"), "DELETE #0 :0"),
]


def edit(change: Any) -> PathEdit:
    (placed,) = placed_changes(depot.Box, [change])
    return path_edit(placed)


@pytest.mark.parametrize(("change", "text"), TEXTS, ids=[repr(change) for change, _ in TEXTS])
def test_the_expression(change: Any, text: str) -> None:
    made = edit(change)
    assert f"{made.clause} {made.text(Aliases())}" == text


def test_absent_numbers_and_lists_have_their_default() -> None:
    assert edit(Box.home.visits.add(1)).start == {"N": "5"}
    assert edit(Box.scores["a"].add(1)).start == {"N": "0"}
    assert edit(Box.queue.append(1)).start == {"L": []}


def test_what_can_be_sent_twice() -> None:
    assert edit(Box.home.city.set("x")).is_repeatable
    assert edit(Box.tags.discard("x")).is_repeatable
    assert not edit(Box.history.append("x")).is_repeatable
    assert not edit(Box.scores["a"].add(1)).is_repeatable
    assert not edit(Box.history[0].remove()).is_repeatable
    assert not edit(Box.history[9].set("x")).is_repeatable


def test_whether_an_edit_was_applied() -> None:
    item: Item = {"home": {"M": {"city": {"S": "x"}}}, "tags": {"SS": ["a"]}, "history": {"L": [{"S": "x"}]}}
    assert edit(Box.home.city.set("x")).is_applied_to(item)
    assert not edit(Box.home.city.set("y")).is_applied_to(item)
    assert edit(Box.home.zip_code.remove()).is_applied_to(item)
    assert edit(Box.tags.discard("b")).is_applied_to(item)
    assert not edit(Box.tags.discard("a")).is_applied_to(item)
    assert not edit(Box.history.append("x")).is_applied_to(item)
    assert not edit(Box.note.set_if_absent("x")).is_applied_to(item)


def test_list_elements_are_set_from_the_front_and_removed_from_the_back() -> None:
    edits = [edit(Box.history[1].remove()), edit(Box.history[9].set("z")), edit(Box.history[3].remove())]
    assert [each.path[-1] for each in in_order([*edits, edit(Box.history[0].set("a"))])] == [0, 9, 3, 1]


def test_the_value_at_a_path() -> None:
    item = {"a": {"M": {"b": {"L": [{"N": "1"}]}}}}
    assert value_at(item, ("a", "b", 0)) == {"N": "1"}
    assert value_at(item, ("a", "b", 1)) is None
    assert value_at(item, ("a", "c", "d")) is None


def test_a_value_that_cannot_be_stored_is_named_with_its_change() -> None:
    with pytest.raises(InvalidWrite, match=r"Box\.home\.city\.set\(\.\.\.\): an unpaired surrogate"):
        edit(Box.home.city.set("\ud800"))
