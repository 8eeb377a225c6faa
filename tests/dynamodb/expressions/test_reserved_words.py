"""Reserved words."""

from tablewright.dynamodb.expressions.reserved_words import RESERVED_WORDS


def test_there_are_573_reserved_words() -> None:
    assert len(RESERVED_WORDS) == 573
