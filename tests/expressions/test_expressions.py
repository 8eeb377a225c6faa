"""What conditions, updates and projections tell about themselves, and the legacy parameters that have no case file."""

import pytest

from tablewright.errors import ValidationError
from tablewright.expressions import Scope, condition, legacy_parameters, projection, update
from tablewright.expressions.reserved_names import RESERVED_WORDS

VALUES = {":v": {"N": "1"}, ":s": {"SS": ["a"]}}
NAMES = {"#n": "n"}


def test_there_are_573_reserved_words() -> None:
    assert len(RESERVED_WORDS) == 573


def test_a_condition_names_its_attributes_in_order() -> None:
    asked = condition(
        "b.x = :v OR NOT (size(a) > :v AND contains(c[0], #n)) AND b IN (d, :v)", Scope(NAMES, VALUES)
    )
    assert asked.attributes == ("b", "a", "c", "n", "d")
    assert asked.nested_attributes == {"b", "c"}


def test_an_item_that_does_not_exist_has_no_attributes() -> None:
    assert condition("attribute_not_exists(a)", Scope()).matches(None)
    assert not condition("attribute_exists(a)", Scope()).matches(None)


def test_an_update_names_what_it_changes() -> None:
    change = update("SET a.b = c[0] + :v, d = :v REMOVE #n, a.c ADD e :v", Scope(NAMES, VALUES))
    assert change.actions.attributes == ("a", "d", "n", "e")
    assert change.actions.nested_attributes == {"a", "c"}
    assert [str(path) for path in change.actions.paths] == ["[a, b]", "[d]", "[n]", "[a, c]", "[e]"]


@pytest.mark.parametrize(
    ("text", "only_removes"),
    [
        ("REMOVE a", True),
        ("REMOVE a, b.c", True),
        ("DELETE a :s", True),
        ("REMOVE a DELETE b :s", True),
        ("REMOVE a SET b = :v", False),
        ("ADD a :v", False),
        ("SET a = if_not_exists(a, :v)", False),
    ],
)
def test_an_update_that_only_removes_creates_nothing(text: str, only_removes: bool) -> None:
    assert update(text, Scope(None, VALUES)).actions.only_remove is only_removes


def test_legacy_updates_tell_the_same() -> None:
    assert legacy_parameters.attribute_updates({"a": {"Action": "DELETE"}}).actions.only_remove
    assert legacy_parameters.attribute_updates(
        {"a": {"Action": "DELETE", "Value": {"SS": ["x"]}}}
    ).actions.only_remove
    assert not legacy_parameters.attribute_updates(
        {"a": {"Action": "PUT", "Value": {"N": "1"}}}
    ).actions.only_remove
    assert not legacy_parameters.attribute_updates({}).actions.only_remove


def test_a_projection_names_its_attributes() -> None:
    chosen = projection("a.b, #n, a.c[1]", Scope(NAMES))
    assert chosen.attributes == ("a", "n")
    assert chosen.nested_attributes == {"a"}


def test_legacy_filters_are_conditions() -> None:
    asked = legacy_parameters.filter_conditions(
        {
            "a": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]},
            "b": {"ComparisonOperator": "NULL"},
        }
    )
    assert asked.matches({"a": {"N": "2"}})
    assert not asked.matches({"a": {"N": "2"}, "b": {"N": "2"}})
    assert asked.attributes == ("a", "b")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a", "b", "a"], "One or more parameter values were invalid: Duplicate value in attribute name: a"),
        ([""], "One or more parameter values were invalid: Empty attribute name"),
        (
            ["x" * 65536],
            "One or more parameter values were invalid: "
            "Attribute name is too large, must be less than 65536 bytes",
        ),
    ],
)
def test_attributes_to_get_that_are_refused(names: list[str], words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        legacy_parameters.attributes_to_get(names)
    assert refused.value.message == words
