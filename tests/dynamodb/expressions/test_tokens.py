"""Tokens of expressions, with their positions."""

from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.expressions.tokens import END, tokenize

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
