"""Statements that are refused before any table is looked at: golden cases, and those too long for a line."""

import orjson
import pytest

from tablewright.errors import ValidationError
from tablewright.expressions.partiql import Select, bind
from tests.expressions.plain import attribute
from tests.golden import CASES

NESTING = "Nesting Levels have exceeded supported limits under root"
PATH = CASES / "partiql" / "refusals.txt"


def refusal(statement: str) -> str:
    """The words with which a statement is refused."""
    text, _, given = statement.partition(" <- ")
    parameters = [attribute(plain) for plain in orjson.loads(given)] if given else []
    try:
        bound = bind(text, parameters)
        if isinstance(bound, Select):
            bound.projection()
    except ValidationError as error:
        return error.message
    return f"accepted: {bound}"


def test_cases(update_golden: bool) -> None:
    lines = PATH.read_text(encoding="utf-8").splitlines()
    asked = [line.rpartition(" ->")[0] if line and not line.startswith("#") else "" for line in lines]
    answered = [
        f"{each} -> {refusal(each)}".rstrip() if each else line
        for each, line in zip(asked, lines, strict=True)
    ]
    if update_golden:
        PATH.write_text("\n".join(answered) + "\n", encoding="utf-8")
    else:
        assert answered == lines


def test_a_complaint_without_a_detail_ends_with_its_colon() -> None:
    assert refusal('SELECT * FROM "t') == "Statement wasn't well formed, can't be processed: "


@pytest.mark.parametrize(
    ("literal", "path"),
    [
        ("{'a':" * 32 + "1" + "}" * 32, ".a" * 32),
        ("{'a':" + "[" * 31 + "1" + "]" * 31 + "}", ".a" + "[0]" * 31),
        ("[" * 32 + "1" + "]" * 32, "[0]" * 32),
    ],
)
def test_a_literal_may_not_reach_too_deep(literal: str, path: str) -> None:
    assert refusal(f"UPDATE t SET d = {literal} WHERE pk = 1") == NESTING + path


def test_a_literal_may_reach_32_levels_deep() -> None:
    assert refusal("UPDATE t SET d = " + "{'a':" * 31 + "1" + "}" * 31 + " WHERE pk = 1").startswith(
        "accepted"
    )


@pytest.mark.parametrize("statement", ["(" * 4000, "NOT " * 2000, "- " * 4000, "[" * 8000, "a" + "+a" * 4000])
def test_deep_nesting_is_refused_and_not_fatal(statement: str) -> None:
    words = refusal(f"SELECT * FROM t WHERE a = {statement}"[:8192])
    assert words.startswith("Statement wasn't well formed, can't be processed: ")


def test_a_long_chain_of_conditions_is_not_deep() -> None:
    assert refusal("SELECT * FROM t WHERE " + " AND ".join(["a=1"] * 900)).startswith("accepted")
    assert refusal("SELECT * FROM t WHERE " + " OR ".join(["a=1 AND b=2"] * 500)).startswith("accepted")


def test_in_takes_a_hundred_values() -> None:
    choices = ", ".join(map(str, range(100)))
    assert refusal(f"SELECT * FROM t WHERE a IN [{choices}]").startswith("accepted")
    assert refusal(f"SELECT * FROM t WHERE a IN [{choices}, 100]") == (
        "The IN operator is provided with too many operands; number of operands: 101"
    )


def test_places_count_lines_and_characters() -> None:
    statement = "UPDATE \"ü\" -- 🎵\r\n SET s = set_add(s, 'x') WHERE pk = 1"
    assert refusal(statement).endswith("must be a value with type SET at 2:18:1")
