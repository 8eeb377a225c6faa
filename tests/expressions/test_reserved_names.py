"""Reserved words."""

from tablewright.expressions.reserved_names import RESERVED_WORDS


def test_there_are_573_reserved_words() -> None:
    assert len(RESERVED_WORDS) == 573
