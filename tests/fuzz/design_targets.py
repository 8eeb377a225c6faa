"""Targets for what the author of a design writes: filters and key templates."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from tablewright.design.keys.templates import Template
from tablewright.design.plans.filters import FilterError, compile_filter
from tablewright.dynamodb.expressions.condition import parse_condition
from tablewright.errors import DesignError, KeyValueError
from tests.design.people import Person
from tests.fuzz import grammars
from tests.fuzz.expression_targets import kinds_in, text_of
from tests.fuzz.target import Target

_ERRORS = (FilterError, DesignError)
_MODULES = ("tablewright.design", "tablewright.dynamodb.expressions")


def _filter(data: bytes) -> Iterable[str]:
    found = compile_filter(text_of(data), [Person.layout])
    node = parse_condition(found.expression, "FilterExpression")
    assert set(found.fields) <= set(Person.layout.fields)
    return {*kinds_in(node), f"{len(found.parameters[:2])} parameters"}


_VALUES: tuple[Any, ...] = ("admin", 7, -42, datetime(2025, 8, 8, 9, 30, tzinfo=UTC))


def _template(data: bytes) -> Iterable[str]:
    template = Template(text_of(data))
    assert Template(template.text) == template
    reached = {type(field.key_format).__name__ for field in template.fields}
    for value in _VALUES:
        try:
            text = template.render(dict.fromkeys(template.names, value))
        except KeyValueError as error:
            reached.add(
                f"not rendered: {type(value).__name__}, {'with' if str(error) else 'WITHOUT'} a message"
            )
            continue
        parsed = template.parse(text)
        assert parsed is not None, f"{text!r} does not match the template that rendered it"
        assert tuple(parsed) == template.parsed_names
        if all(field.key_format is None for field in template.fields):
            assert template.render(parsed) == text
        reached.add(f"rendered: {type(value).__name__}")
    assert not any("WITHOUT" in each for each in reached)
    return reached


_FILTERS = (b"visits > {least} AND address.city = 'Berlin' AND size(history) < 3",)
_TEMPLATES = (b"USER#{name}#{level:06}", b"{at:%Y-%m-%d desc}")

TARGETS = (
    Target("filter", _filter, grammars.FILTER, _ERRORS, _FILTERS, 8192, _MODULES),
    Target("key template", _template, grammars.TEMPLATE, _ERRORS, _TEMPLATES, 8192, _MODULES),
)
