"""Cached expressions: no value of one request is used in another."""

import pytest

from tablewright.dynamodb.expressions import Scope, condition, key_condition, update
from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.errors import ValidationError

NAMES = {"#c": "count"}
COUNT = "SET #c = #c + :n"
COUNTED = {"count": {"N": "40"}}


def test_each_request_has_its_own_values() -> None:
    changes = [update(COUNT, Scope(NAMES, {":n": {"N": added}})) for added in ("1", "2", "1")]
    assert [change.apply(COUNTED)["count"]["N"] for change in changes] == ["41", "42", "41"]


def test_each_request_has_its_own_names() -> None:
    changes = [update("REMOVE #c", Scope({"#c": name})) for name in ("count", "other", "count")]
    assert [change.apply(COUNTED) for change in changes] == [{}, COUNTED, {}]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({":n": {"S": "1"}}, "operand type: S"),
        ({":m": {"N": "1"}}, "not defined; attribute value: :n"),
    ],
)
def test_an_accepted_expression_is_rejected_with_other_values(
    values: dict[str, AttributeValue], message: str
) -> None:
    update(COUNT, Scope(NAMES, {":n": {"N": "1"}}))
    for _ in range(2):
        with pytest.raises(ValidationError, match=message):
            update(COUNT, Scope(NAMES, values))


def test_an_unused_placeholder_is_noticed_every_time() -> None:
    for _ in range(2):
        scope = Scope(NAMES, {":n": {"N": "1"}, ":unused": {"N": "1"}})
        update(COUNT, scope)
        with pytest.raises(ValidationError, match=r"unused in expressions: keys: {:unused}"):
            scope.finish()


def test_bounds_are_compared_every_time() -> None:
    text = "p = :p AND n BETWEEN :low AND :high"
    values = {":p": {"S": "x"}, ":low": {"N": "1"}, ":high": {"N": "2"}}
    key_condition(text, Scope(None, values))
    with pytest.raises(ValidationError, match="upper bound to be greater"):
        key_condition(text, Scope(None, {**values, ":high": {"N": "0"}}))


@pytest.mark.parametrize("expected", ["x", "y"])
def test_a_key_condition_has_its_own_values(expected: str) -> None:
    chosen = key_condition("p = :p", Scope(None, {":p": {"S": expected}})).match(["p"], [], {"p": "S"})
    assert chosen.hash_values == ({"S": expected},)


def test_a_condition_has_its_own_values() -> None:
    for limit, expected in (("41", True), ("39", False), ("41", True)):
        assert condition("#c <= :n", Scope(NAMES, {":n": {"N": limit}})).matches(COUNTED) is expected


def test_bounds_and_type_names_of_a_condition_are_checked_every_time() -> None:
    between, typed = "#c BETWEEN :low AND :high", "attribute_type(#c, :t)"
    for high, kind in (("2", "N"), ("0", "X"), ("2", "N")):
        bounds = Scope(NAMES, {":low": {"N": "1"}, ":high": {"N": high}})
        name = Scope(NAMES, {":t": {"S": kind}})
        if kind == "N":
            assert not condition(between, bounds).matches(COUNTED)
            assert condition(typed, name).matches(COUNTED)
            continue
        with pytest.raises(ValidationError, match="upper bound to be greater"):
            condition(between, bounds)
        with pytest.raises(ValidationError, match="Invalid attribute type name found; type: X"):
            condition(typed, name)


def test_the_first_problem_is_reported_even_if_only_values_show_it() -> None:
    text = "#c BETWEEN :low AND :high AND begins_with(#c, :low)"
    with pytest.raises(ValidationError, match="upper bound to be greater"):
        condition(text, Scope(NAMES, {":low": {"N": "1"}, ":high": {"N": "0"}}))


def test_long_names_are_not_kept() -> None:
    assert Scope({"#c": "x" * 60_000}).is_large
    assert not Scope(NAMES).is_large
