"""The keys in a WHERE clause: one item, or a range for each branch."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.nodes import ConditionNode
from tablewright.dynamodb.expressions.partiql import Select, bind
from tablewright.dynamodb.expressions.partiql.where_keys import (
    Branch,
    KeyReader,
    conjuncts,
    key_test,
    pinned_key,
)
from tablewright.errors import ValidationError

READER = KeyReader("pk", "sk")


def node(where: str) -> ConditionNode:
    statement = bind(f"SELECT * FROM t WHERE {where}")
    assert isinstance(statement, Select)
    assert statement.where is not None
    return statement.where


def shown(branches: tuple[Branch, ...] | None) -> Any:
    """For each branch: hash values, operators on the range key, number of filters."""
    return branches and [
        (
            [value["S"] for value in branch.hash_values],
            [test.operator for test in branch.range_tests],
            len(branch.filters),
        )
        for branch in branches
    ]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("pk = 'a'", [(["a"], [], 0)]),
        ("pk IN ['a', 'b'] AND sk > 'x'", [(["a"], [">"], 0), (["b"], [">"], 0)]),
        ("pk = 'a' AND sk IN ['x', 'y']", [(["a"], ["="], 0), (["a"], ["="], 0)]),
        ("pk = 'a' OR pk = 'b' AND other = 1", [(["a"], [], 0), (["b"], [], 1)]),
        ("pk = 'a' AND (other = 1 OR other = 2)", [(["a"], [], 1)]),
        ("pk = 'a' AND sk <> 'x'", [(["a"], [], 1)]),
        ("pk = 'a' OR other = 1", None),
        ("pk > 'a'", None),
    ],
)
def test_branches(where: str, expected: Any) -> None:
    assert shown(READER.branches(node(where))) == expected


def test_no_condition_has_no_branches() -> None:
    assert READER.branches(None) is None
    assert list(conjuncts(None)) == []


def test_at_most_fifty_branches() -> None:
    def choices(count: int) -> str:
        return ", ".join(f"'{number}'" for number in range(count))

    assert len(READER.branches(node(f"pk IN [{choices(50)}]")) or ()) == 50
    with pytest.raises(ValidationError, match="Too many decomposed read operations"):
        READER.branches(node(f"pk IN [{choices(10)}] AND sk IN [{choices(6)}]"))


def test_a_key_is_fixed_by_equalities() -> None:
    pinned = pinned_key(node("pk = 'a' AND 'x' = sk AND other = 1"), ("pk", "sk"))
    assert pinned.key == {"pk": {"S": "a"}, "sk": {"S": "x"}}
    assert (pinned.ambiguous, len(pinned.rest)) == (None, 1)
    assert pinned_key(node("pk = 'a' AND pk = 'b'"), ("pk",)).ambiguous == "pk"
    assert pinned_key(node("pk > 'a'"), ("pk",)).key == {}


def test_a_comparison_is_turned_round_when_the_constant_comes_first() -> None:
    test = key_test(node("'x' < sk"), "sk")
    assert test is not None
    assert test.operator == ">"
    assert key_test(node("other = 1"), "sk") is None
