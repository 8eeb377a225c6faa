"""Tokens of statements: kinds, positions, pairs of words, comments and malformed text."""

import pytest

from tablewright.dynamodb.expressions.partiql.statement_tokens import (
    FUNCTION_WORDS,
    KEYWORDS,
    PAIRS,
    TOKEN_WORDS,
    TYPE_ALIASES,
    TYPES,
    WORD_OPERATORS,
    TextSpan,
    is_decimal,
    negated,
    tokenize,
)
from tablewright.errors import ValidationError


def kinds(text: str) -> list[str]:
    return [token.kind for token in tokenize(text)][:-1]


def texts(text: str) -> list[str]:
    return [token.text for token in tokenize(text)][:-1]


def test_words_are_recognised_in_any_case() -> None:
    assert kinds("Select Name") == kinds("SELECT Name") == ["KEYWORD", "IDENTIFIER"]
    assert texts("SELECT Name") == ["select", "Name"]


def test_quotes_are_removed_and_doubled_quotes_kept_once() -> None:
    assert texts("'it''s' \"a\"\"b\"") == ["it's", 'a"b']


def test_two_words_that_form_a_pair_are_one_token() -> None:
    assert texts("a NOT IN b IS NOT c INSERT INTO d") == [
        "a",
        "not_in",
        "b",
        "is_not",
        "c",
        "insert_into",
        "d",
    ]
    assert texts("a != b") == ["a", "<>", "b"]


def test_positions_count_lines_and_columns_from_one() -> None:
    places = [token.span for token in tokenize("a\n  bb -- comment\r\nc /* x\n */ d")]
    assert places[:4] == [TextSpan(1, 1, 1), TextSpan(2, 3, 2), TextSpan(3, 1, 1), TextSpan(4, 5, 1)]


@pytest.mark.parametrize("text", ["'unclosed", '"unclosed', "1e99999999999", "#"])
def test_malformed_text_is_rejected(text: str) -> None:
    with pytest.raises(ValidationError, match="Statement wasn't well formed"):
        tokenize(text)


def test_numbers_fit_the_decimals_of_java() -> None:
    assert is_decimal("1.5e10")
    assert not is_decimal("1e2147483648")
    assert [negated(text) for text in ("1.5", "-2", "0")] == ["-1.5", "2", "0"]


KNOWN = KEYWORDS | WORD_OPERATORS | TOKEN_WORDS.keys() | {"true", "false"}


def test_all_words_are_in_lower_case() -> None:
    assert all(word == word.lower() for word in KNOWN | FUNCTION_WORDS | TYPES.keys())


def test_the_words_of_every_pair_are_known() -> None:
    assert not {word for pair in PAIRS for word in pair} - KNOWN


def test_every_alias_is_a_keyword_that_names_a_type() -> None:
    assert TYPE_ALIASES.keys() <= KNOWN
    assert set(TYPE_ALIASES.values()) <= TYPES.keys()


def test_names_of_attributes_in_examples_are_no_keywords() -> None:
    assert not {"artist", "pk", "sk", "song"} & KNOWN
