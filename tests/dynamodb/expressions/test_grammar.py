"""Every limit of expressions at one below, at, and one above; and shapes that would exhaust a naive parser."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.expressions import Scope, condition, projection, update
from tablewright.dynamodb.expressions.grammar import END, tokenize
from tablewright.errors import ValidationError

VALUES = {":v": {"N": "1"}}


def error_message(attempt: Callable[[], object]) -> str:
    """The error message of an attempt, or an empty string."""
    try:
        attempt()
    except ValidationError as caught:
        return caught.message
    return ""


@pytest.mark.parametrize("size", [4095, 4096, 4097])
def test_expressions_have_4096_bytes(size: int) -> None:
    text = "a" + " " * (size - 6) + " = :v"
    assert len(text) == size
    said = error_message(lambda: condition(text, Scope(None, VALUES)))
    expected = "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: "
    assert said == (f"{expected}{size}" if size > 4096 else "")


def test_size_counts_bytes_not_characters() -> None:
    said = error_message(lambda: projection("é" * 2049, Scope()))
    assert said.endswith("expression size: 4098")


@pytest.mark.parametrize("count", [299, 300, 301, 900])
def test_expressions_have_300_operators(count: int) -> None:
    text = "NOT " * (count - 1) + "a = :v"
    said = error_message(lambda: condition(text, Scope(None, VALUES)))
    expected = "Invalid ConditionExpression: The expression contains too many operators; operator count: 301"
    assert said == (expected if count > 300 else "")


def test_comparisons_and_connectives_count_as_operators_but_parentheses_and_functions_do_not() -> None:
    fits = "a<:v" + " or (a<:v" * 149 + ")" * 149
    too_many = "a<:v" + " or (a<:v" * 150 + ")" * 150
    functions = " and ".join(["attribute_exists(a)"] * 150)
    assert condition(fits, Scope(None, {":v": {"N": "5"}})).matches({"a": {"N": "1"}})
    assert "too many operators" in error_message(lambda: condition(too_many, Scope(None, VALUES)))
    assert condition(functions, Scope()).matches({"a": {"N": "1"}})


@pytest.mark.parametrize("depth", [31, 32, 33])
def test_paths_have_32_levels(depth: int) -> None:
    path = "a" + ".b" * (depth - 1)
    expected = f"The document path has too many nesting levels; nesting levels: {depth}"
    for kind, attempt in {
        "ProjectionExpression": lambda: projection(path, Scope()),
        "ConditionExpression": lambda: condition(f"attribute_exists({path})", Scope()),
        "UpdateExpression": lambda: update(f"REMOVE {path}", Scope()),
    }.items():
        assert error_message(attempt) == (f"Invalid {kind}: {expected}" if depth > 32 else "")


@pytest.mark.parametrize("count", [1, 99, 100, 101])
def test_in_has_100_choices(count: int) -> None:
    values = {f":v{number}": {"N": str(number)} for number in range(count)}
    text = f"a IN ({', '.join(values)})"
    said = error_message(lambda: condition(text, Scope(None, values)))
    expected = "Invalid ConditionExpression: The IN operator is provided with too many operands; "
    assert said == (f"{expected}number of operands: 101" if count > 100 else "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(" * 4096, 'Syntax error; token: "<EOF>"'),
        ("(" * 2040 + "a=:v" + ")" * 2040, "The expression has redundant parentheses;"),
        ("a < " + "f(" * 1355 + "b" + ")" * 1355, "Invalid function name; function: f"),
        ("a < " + "size(" * 680 + "b" + ")" * 680, "operator or function: size, operand type: N"),
        ("a < " + "(" * 2000 + "b" + ")" * 2000, "The expression has redundant parentheses;"),
    ],
)
def test_deep_conditions_have_an_error_message(text: str, words: str) -> None:
    assert words in error_message(lambda: condition(text, Scope(None, VALUES)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SET a = " + "(" * 2000 + "b + :v" + ")" * 2000, "redundant parentheses"),
        ("SET a = " + "f(" * 1300 + "b" + ")" * 1300, "Invalid function name; function: f"),
        ("SET a = " + "if_not_exists(a," * 240 + ":v" + ")" * 240, ""),
    ],
)
def test_deep_updates_have_an_error_message_or_succeed(text: str, words: str) -> None:
    said = error_message(lambda: update(text, Scope(None, VALUES)).apply({}))
    assert words in said if words else not said


def test_conditions_nest_as_deep_as_operators_allow() -> None:
    text = "a<:v" + " or (a<:v and (a<:v" * 74 + "))" * 74
    assert condition(text, Scope(None, {":v": {"N": "5"}})).matches({"a": {"N": "1"}})


KEYWORDS = frozenset({"AND", "BETWEEN"})


def kinds(text: str) -> list[str]:
    return [token.kind for token in tokenize(text, KEYWORDS)]


def test_words_symbols_and_placeholders() -> None:
    assert kinds("a.#b[12]<=:c And d") == [
        *("word", ".", "name", "[", "number", "]", "<=", "value", "AND", "word", END)
    ]
    assert kinds("andy") == ["word", END]
    assert kinds("_x é") == ["_", "word", "é", END]
    assert kinds("") == [END]


def test_two_character_operators_are_one_token() -> None:
    assert kinds("<> <= >= < >") == ["<>", "<=", ">=", "<", ">", END]


@given(st.text(max_size=40))
def test_tokens_are_the_text_without_its_spaces(text: str) -> None:
    *tokens, end = tokenize(text, KEYWORDS)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert "".join(token.text for token in tokens) == "".join(c for c in text if c not in " \t\r\n\f")
    assert (end.kind, end.start) == (END, len(text))
