"""Keywords of PartiQL: consistent tables."""

from tablewright.dynamodb.expressions.partiql.keywords import (
    FUNCTION_WORDS,
    KEYWORDS,
    PAIRS,
    TOKEN_WORDS,
    TYPE_ALIASES,
    TYPES,
    WORD_OPERATORS,
)

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
