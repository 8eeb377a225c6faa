"""Projections of read requests, from either form of the parameter."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope
from tablewright.engine.core.reads.projections import projection_of
from tablewright.errors import ValidationError

ITEM: dict[str, Any] = {"a": {"N": "1"}, "b": {"N": "2"}}


@pytest.mark.parametrize(
    "request_",
    [
        {"ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "a"}},
        {"ProjectionExpression": "a"},
        {"AttributesToGet": ["a"]},
    ],
)
def test_both_forms_select_the_same_attributes(request_: dict[str, Any]) -> None:
    selected = projection_of(request_)
    assert selected is not None
    assert selected.of(ITEM) == {"a": {"N": "1"}}


def test_no_parameter_is_no_projection() -> None:
    assert projection_of({}) is None


def test_unused_names_are_an_error_unless_a_scope_is_shared() -> None:
    request = {"ProjectionExpression": "a", "ExpressionAttributeNames": {"#n": "b"}}
    with pytest.raises(ValidationError, match="unused in expressions"):
        projection_of(request)
    assert projection_of(request, Scope({"#n": "b"})) is not None
