"""Filters, as text or as conditions, are compiled to DynamoDB expressions: golden cases, and what plans need."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from pydantic import Field

from tablewright import Entity, Keys, fields
from tablewright.design.plans.filters import Filter, FilterError, compile_filter
from tests.design.people import NAMES, Person, Pet, main
from tests.golden import arrows

LAYOUTS = (Person.layout, Pet.layout)


class Visitor(Entity, table=main, type="VISITOR"):
    name: str
    keys = Keys(primary=("VISITOR#{name}", "VISITOR"))


def written(source: str) -> Any:
    is_python = source.startswith(("Person", "Visitor", "("))
    return eval(source, {**NAMES, "Visitor": Visitor}) if is_python else source


def shown(found: Filter) -> str:
    """The expression with names and values in place of their placeholders."""
    text = re.sub(r"#f\d+", lambda alias: found.names[alias[0]], found.expression)
    return re.sub(r":\d+c", lambda alias: json.dumps(found.values[alias[0]], default=plain), text)


def plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)


@pytest.mark.parametrize(("source", "expression"), arrows("design/filters.txt"))
def test_filters(source: str, expression: str) -> None:
    assert shown(compile_filter(written(source), LAYOUTS)) == expression


@pytest.mark.parametrize(("source", "message"), arrows("design/filters_rejected.txt"))
def test_filters_that_cannot_work_are_rejected(source: str, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        compile_filter(written(source), LAYOUTS)
    assert message in str(caught.value)


def test_a_filter_knows_its_fields_and_parameters() -> None:
    found = compile_filter(
        "visits > {n} AND size(tags) < {n} AND address.city = {city} AND name = 'x'", LAYOUTS
    )
    assert found.fields == ("visits", "tags", "address", "name")
    assert found.parameters == ("n", "city")
    assert found.values == {":0c": "x"}
    assert found.equalities == ("name",)
    assert [(each.parameter, each.field, each.annotation, each.use) for each in found.comparisons] == [
        ("n", "visits", int, "order"),
        ("n", "Person.tags.size()", int, "order"),
        ("city", "address.city", str, "equal"),
    ]


def test_a_repeated_name_has_one_alias() -> None:
    assert compile_filter("name = {a} OR name = {b}", LAYOUTS).names == {"#f0": "name"}


def test_a_filter_is_shown_as_it_was_written() -> None:
    person: Any = Person
    assert compile_filter("visits > {least}", LAYOUTS).source == "visits > {least}"
    condition = (person.visits > fields.parameter("least")) & person.address.exists()
    source = "(Person.visits > fields.parameter('least')) & Person.address.exists()"
    assert compile_filter(condition, LAYOUTS).source == source


def test_a_field_of_several_types_is_compared_with_any_value() -> None:
    class Robot(Entity, table=main, type="ROBOT"):
        name: int
        keys = Keys(primary=("ROBOT#{name}", "ROBOT"))

    assert compile_filter("name = {x}", (Person.layout, Robot.layout)).comparisons[0].annotation is Any


def test_a_field_under_several_stored_names_is_rejected() -> None:
    class Robot(Entity, table=main, type="ROBOT2"):
        robot_id: str
        nick_name: str = Field(alias="nick")
        keys = Keys(primary=("ROBOT#{robot_id}", "ROBOT"))

    with pytest.raises(FilterError, match="nick_name is stored under several names; give it one alias"):
        compile_filter("nick_name = {x}", (Person.layout, Robot.layout))


def test_a_filter_that_is_too_long_for_dynamodb_is_rejected() -> None:
    many = " OR ".join([f"visits > {{{'n' * 50}}}"] * 100)
    with pytest.raises(FilterError, match="an expression of 6492 bytes, and DynamoDB accepts 4096"):
        compile_filter(many, LAYOUTS)
    with pytest.raises(FilterError, match="a parameter whose name has 255 bytes, and DynamoDB accepts 254"):
        compile_filter(f"visits > {{{'n' * 255}}}", LAYOUTS)
    assert compile_filter(f"visits > {{{'n' * 254}}}", LAYOUTS).parameters == ("n" * 254,)
