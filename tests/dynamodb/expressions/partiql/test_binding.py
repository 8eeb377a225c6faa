"""Binding: statements that are rejected before any table is read, as golden cases and as long statements."""

import orjson
import pytest

from tablewright.dynamodb.expressions.partiql import Select, bind
from tablewright.errors import ValidationError
from tests.dynamodb.expressions.plain import attribute
from tests.golden import CASES

NESTING = "Nesting Levels have exceeded supported limits under root"
PATH = CASES / "partiql" / "refusals.txt"


def error_message(statement: str) -> str:
    """The error message of a statement."""
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
    statements = [line.rpartition(" ->")[0] if line and not line.startswith("#") else "" for line in lines]
    current = [
        f"{each} -> {error_message(each)}".rstrip() if each else line
        for each, line in zip(statements, lines, strict=True)
    ]
    if update_golden:
        PATH.write_text("\n".join(current) + "\n", encoding="utf-8")
    else:
        assert current == lines


def test_a_message_without_a_detail_ends_with_a_colon() -> None:
    assert error_message('SELECT * FROM "t') == "Statement wasn't well formed, can't be processed: "


@pytest.mark.parametrize(
    ("literal", "path"),
    [
        ("{'a':" * 32 + "1" + "}" * 32, ".a" * 32),
        ("{'a':" + "[" * 31 + "1" + "]" * 31 + "}", ".a" + "[0]" * 31),
        ("[" * 32 + "1" + "]" * 32, "[0]" * 32),
    ],
)
def test_a_literal_has_at_most_32_levels(literal: str, path: str) -> None:
    assert error_message(f"UPDATE t SET d = {literal} WHERE pk = 1") == NESTING + path


def test_a_literal_of_32_levels_is_accepted() -> None:
    assert error_message("UPDATE t SET d = " + "{'a':" * 31 + "1" + "}" * 31 + " WHERE pk = 1").startswith(
        "accepted"
    )


@pytest.mark.parametrize("statement", ["(" * 4000, "NOT " * 2000, "- " * 4000, "[" * 8000, "a" + "+a" * 4000])
def test_deep_nesting_is_rejected_without_a_crash(statement: str) -> None:
    words = error_message(f"SELECT * FROM t WHERE a = {statement}"[:8192])
    assert words.startswith("Statement wasn't well formed, can't be processed: ")


def test_a_long_chain_of_conditions_is_not_deep() -> None:
    assert error_message("SELECT * FROM t WHERE " + " AND ".join(["a=1"] * 900)).startswith("accepted")
    assert error_message("SELECT * FROM t WHERE " + " OR ".join(["a=1 AND b=2"] * 500)).startswith("accepted")


def test_in_takes_a_hundred_values() -> None:
    choices = ", ".join(map(str, range(100)))
    assert error_message(f"SELECT * FROM t WHERE a IN [{choices}]").startswith("accepted")
    assert error_message(f"SELECT * FROM t WHERE a IN [{choices}, 100]") == (
        "The IN operator is provided with too many operands; number of operands: 101"
    )


def test_error_positions_count_lines_and_characters() -> None:
    statement = "UPDATE \"ü\" -- 🎵\r\n SET s = set_add(s, 'x') WHERE pk = 1"
    assert error_message(statement).endswith("must be a value with type SET at 2:18:1")
