"""Selections: Select, filter and projection, and what an index cannot return."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope, condition, projection
from tablewright.engine.core.reads.read_sources import ReadSource
from tablewright.engine.core.reads.selections import (
    Selection,
    legacy_filter,
    legacy_projection,
    projection_of,
    require_select_fits,
    selection_of,
)
from tablewright.errors import ValidationError
from tests.engine.player_table import GLOBAL, LOCAL, PLAYERS

TABLE, LOCAL_SOURCE, GLOBAL_SOURCE = (
    ReadSource(PLAYERS),
    ReadSource(PLAYERS, LOCAL),
    ReadSource(PLAYERS, GLOBAL),
)


def showing(names: str) -> Selection:
    return Selection(None, projection(names, Scope()), None)


def filtering(text: str) -> Selection:
    return Selection(None, None, condition(text, Scope(), "FilterExpression"))


def test_only_a_local_index_with_missing_attributes_is_completed_from_its_table() -> None:
    assert showing("extra").fetches(LOCAL_SOURCE)
    assert Selection("ALL_ATTRIBUTES", None, None).fetches(LOCAL_SOURCE)
    assert not showing("note, pos").fetches(LOCAL_SOURCE)
    assert not Selection(None, None, None).fetches(LOCAL_SOURCE)
    assert not showing("extra").fetches(TABLE)


def test_a_global_index_cannot_return_missing_attributes() -> None:
    showing("note, city").require_projected(GLOBAL_SOURCE)
    showing("extra").require_projected(LOCAL_SOURCE)
    with pytest.raises(ValidationError, match=r"does not project \[extra\]"):
        showing("note, extra").require_projected(GLOBAL_SOURCE)
    with pytest.raises(ValidationError, match="ALL_ATTRIBUTES is not supported"):
        Selection("ALL_ATTRIBUTES", None, None).require_projected(GLOBAL_SOURCE)


def test_a_query_filter_has_no_key_attributes_and_no_missing_ones() -> None:
    filtering("attribute_exists(note)").require_filter_without_keys(GLOBAL_SOURCE, "Filter Expression")
    with pytest.raises(ValidationError, match="Primary key attribute: nick"):
        filtering("attribute_exists(nick)").require_filter_without_keys(TABLE, "Filter Expression")
    with pytest.raises(ValidationError, match=r"does not project one or more filter attributes: \[extra\]"):
        filtering("attribute_exists(extra)").require_filter_without_keys(GLOBAL_SOURCE, "Filter Expression")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"Select": "SPECIFIC_ATTRIBUTES"}, "Must specify the AttributesToGet or ProjectionExpression"),
        ({"Select": "COUNT", "ProjectionExpression": "a"}, "when choosing to get only the Count"),
        ({"Select": "ALL_ATTRIBUTES", "AttributesToGet": ["a"]}, "Cannot specify the AttributesToGet"),
        ({"Select": "ALL_PROJECTED_ATTRIBUTES"}, "only when Querying using an IndexName"),
        ({"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "a"}, None),
        ({"Select": "ALL_PROJECTED_ATTRIBUTES", "IndexName": "by-city"}, None),
        ({}, None),
    ],
)
def test_select_must_fit_the_other_parameters(request_: dict[str, Any], message: str | None) -> None:
    if message is None:
        require_select_fits(request_)
    else:
        with pytest.raises(ValidationError, match=message):
            require_select_fits(request_)


def test_expressions_and_legacy_parameters_give_the_same_selection() -> None:
    legacy = {
        "ScanFilter": {"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]}},
        "AttributesToGet": ["n"],
    }
    old = selection_of(legacy, Scope(), legacy_filter(legacy, "ScanFilter"), legacy_projection(legacy))
    values = {":one": {"N": "1"}}
    expressions = {"FilterExpression": "n > :one", "ProjectionExpression": "n"}
    new = selection_of(expressions, Scope(None, values), None, None)
    for selection in (old, new):
        assert selection.filter is not None
        assert selection.projection is not None
        assert selection.filter.matches({"n": {"N": "2"}})
        assert not selection.filter.matches({"n": {"N": "1"}})
        assert selection.projection.attributes == ("n",)


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
