"""Key conditions in all notations that design documents use."""

import pytest

from tablewright.design.keys.templates import Template
from tablewright.design.plans.key_conditions import parse_key_line
from tablewright.errors import DesignError


@pytest.mark.parametrize(
    ("line", "clauses"),
    [
        ("PK = USER#{id}", ["PK = USER#{id}"]),
        ("PK = 'USER#1' and SK='A'", ["PK = USER#1", "SK = A"]),
        ("PK = {a}, begins_with(SK, 'ORDER#')", ["PK = {a}", "begins_with(SK, ORDER#)"]),
        ("PK = {a} AND SK begins_with ORDER#", ["PK = {a}", "begins_with(SK, ORDER#)"]),
        ("PK = {a} AND SK BETWEEN {b} AND {c}#~", ["PK = {a}", "SK BETWEEN {b} AND {c}#~"]),
        ("a#b = {x} AND c <= {y}", ["a#b = {x}", "c <= {y}"]),
        (
            "PK = A#{at:%Y-%m-%d %H}#{u:shard(8)} AND begins_with(SK, {u:shard(8)}#)",
            ["PK = A#{at:%Y-%m-%d %H}#{u:shard(8)}", "begins_with(SK, {u:shard(8)}#)"],
        ),
    ],
)
def test_notations(line: str, clauses: list[str]) -> None:
    assert [str(clause) for clause in parse_key_line(line)] == clauses


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("PK", 'the key condition "PK" is invalid at "PK"; write clauses such as PK = USER'),
        ("PK = {a} SK = {b}", 'is invalid at "SK = {b}"; join clauses with AND or a comma'),
        ("PK = {a} AND", 'is invalid at "AND"; join clauses'),
        ("PK = {a}, ", "is invalid at"),
    ],
)
def test_invalid_conditions_are_rejected(line: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        parse_key_line(line)


def test_a_clause_names_its_parameters() -> None:
    (clause,) = parse_key_line("SK BETWEEN {a}#{b} AND {c}")
    assert clause.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("line", "written", "expected"),
    [
        ("SK = ORDER#{id}", "ORDER#{order_id}", True),
        ("SK = ORDER#{id}", "ORDERLINE#{id}", False),
        ("begins_with(SK, OR)", "ORDER#{id}", True),
        ("SK > Z", "ORDER#{id}", True),
        ("SK = {any}", "ORDER#{id}", True),
    ],
)
def test_matching_compares_literal_text(line: str, written: str, expected: bool) -> None:
    (clause,) = parse_key_line(line)
    assert clause.may_match(Template(written)) == expected
