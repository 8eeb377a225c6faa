"""Conditions become expressions: golden cases, with names and values in place of their placeholders."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tablewright.design.fields.conditions import FilterParameter
from tablewright.design.fields.descriptions import condition_source
from tablewright.design.layouts.compared_values import Use
from tablewright.design.layouts.condition_writer import ConditionSubject, ConditionWriter, InvalidCondition
from tests.design.people import NAMES, Person
from tests.golden import arrows


class ReadableWriter(ConditionWriter):
    """Writes names and values as they are."""

    def name(self, stored: str) -> str:
        return stored

    def value(self, subject: ConditionSubject, value: Any) -> str:
        return json.dumps(value, default=shown)

    def parameter(self, subject: ConditionSubject, parameter: FilterParameter, use: Use) -> str:
        raise InvalidCondition(
            f"{subject.text} is compared with fields.parameter('least'), which belongs into the filter of a pattern"
        )


def shown(value: Any) -> Any:
    return (
        float(value) if isinstance(value, Decimal) else value.model_dump(by_alias=True, exclude_defaults=True)
    )


@pytest.mark.parametrize(("source", "expression"), arrows("design/conditions.txt"))
def test_conditions(source: str, expression: str) -> None:
    assert ReadableWriter(Person.layout).text(eval(source, dict(NAMES))) == expression


@pytest.mark.parametrize(("source", "message"), arrows("design/conditions_rejected.txt"))
def test_conditions_that_cannot_work_are_rejected(source: str, message: str) -> None:
    with pytest.raises(InvalidCondition) as caught:
        ReadableWriter(Person.layout).text(eval(source, dict(NAMES)))
    assert message in str(caught.value)


@pytest.mark.parametrize("source", [source for source, _ in arrows("design/conditions.txt")])
def test_conditions_are_shown_as_they_were_written(source: str) -> None:
    shown = condition_source("Person", eval(source, dict(NAMES)))
    assert shown == source or eval(shown, dict(NAMES)) == eval(source, dict(NAMES))
    assert shown == source or "Address(" in source
