"""Search conditions: the range of keys and the filters of an expression. The messages: see test_search_vectors."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope
from tablewright.dynamodb.expressions.condition import bound_condition
from tablewright.dynamodb.values.key_bytes import after
from tablewright.engine.features.vectors.search_conditions import KIND, Range, equalities_of, range_of
from tablewright.errors import ValidationError
from tests.engine.features.vectors.test_vector_index import PLAIN, TENANT

RED, MEMO = {"S": "red"}, {"S": "memo"}


def chosen(text: str, **values: Any) -> Range:
    scope = Scope(None, {f":{name}": value for name, value in values.items()})
    return range_of(TENANT, equalities_of(bound_condition(text, scope, KIND)))


def test_a_partition_key_selects_a_range_of_keys() -> None:
    assert TENANT.hash is not None
    head = TENANT.hash.encode({"tenant": RED})
    assert chosen("tenant = :t", t=RED) == Range(head, after(head), {})
    assert chosen("(:k = kind) AND tenant = :t", t=RED, k=MEMO) == Range(head, after(head), {"kind": MEMO})


def test_an_index_without_search_schema_needs_no_condition() -> None:
    assert range_of(PLAIN, None) == Range(b"", None, {})


def test_a_partition_key_that_is_too_long_is_rejected() -> None:
    with pytest.raises(ValidationError, match="Size of hashkey"):
        chosen("tenant = :t", t={"S": "x" * 2049})


@pytest.mark.parametrize("text", ["tenant = kind", "tenant = :t OR kind = :t", "size(tenant) = :t"])
def test_only_attributes_are_compared_with_values(text: str) -> None:
    with pytest.raises(ValidationError, match="Invalid comparator used in SearchConditionExpression"):
        equalities_of(bound_condition(text, Scope(None, {":t": RED}), KIND))
