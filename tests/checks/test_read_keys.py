"""Read keys: the texts that the key condition of a pattern matches."""

import pytest

from tablewright import Entity, Keys, Query, Table
from tablewright.checks.key_languages import language, shared_text
from tablewright.checks.read_keys import clause_on, read_language
from tablewright.design.keys.templates import Template
from tests.design.definitions import define_pattern


class Line(Entity, table=Table("main", key=("PK", "SK")), type="LINE"):
    a: str
    b: str
    keys = Keys(primary=("A#{a}", "{b}"))


@pytest.mark.parametrize(
    ("condition", "text", "expected"),
    [
        ("SK = X#{b}", "X#1", True),
        ("SK = X#{b}", "Y#1", False),
        ("begins_with(SK, X#{b})", "X#1#2", True),
        ("SK BETWEEN X#{b} AND X#{b}~", "X#5", True),
        ("SK BETWEEN X#{b} AND X#{b}~", "Y#5", False),
        ("SK BETWEEN X#{b} AND Y", "A", True),
        ("SK > X#{b}", "A", True),
    ],
)
def test_texts_of_a_clause(condition: str, text: str, expected: bool) -> None:
    plan = define_pattern(Query, Line, {"a": str, "b": str}, key=f"PK = A#{{a}} AND {condition}").__plan__
    found = shared_text(read_language(plan, "SK"), language(Template(text), lambda _: str))
    assert (found is not None) == expected


def test_an_attribute_without_a_clause_matches_every_text() -> None:
    plan = define_pattern(Query, Line, {"a": str}, key="PK = A#{a}").__plan__
    assert clause_on(plan, "SK") is None
    assert shared_text(read_language(plan, "SK"), language(Template("Z"), lambda _: str)) == "Z"
