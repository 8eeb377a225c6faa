"""Filter text is parsed into conditions. The golden cases are in test_filters."""

from typing import Any

import pytest

from tablewright.design.fields.conditions import (
    Both,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Function,
    OneOf,
    Size,
)
from tablewright.design.plans.filter_text import parse_filter

A, B = FieldPath(None, ("a",)), FieldPath(None, ("b",))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("a = {x}", Comparison("=", A, FilterParameter("x"))),
        ("a={ x }", Comparison("=", A, FilterParameter("x"))),
        ("a > 3 and b < -2.5", Both("AND", Comparison(">", A, 3), Comparison("<", B, -2.5))),
        ("a[0].b['x y'] = 'z'", Comparison("=", FieldPath(None, ("a", 0, "b", "x y")), "z")),
        ("size(a) IN (1, 2)", OneOf(Size(A), (1, 2))),
        ("attribute_exists(a)", Function("attribute_exists", A)),
        ("a.size = 'size(b)'", Comparison("=", FieldPath(None, ("a", "size")), "size(b)")),
        ("a = '{x} :y AND'", Comparison("=", A, "{x} :y AND")),
        ("a.true = true", Comparison("=", FieldPath(None, ("a", "true")), True)),
    ],
)
def test_filter_text(text: str, condition: Condition) -> None:
    found: Any = parse_filter(text)
    assert found == condition
