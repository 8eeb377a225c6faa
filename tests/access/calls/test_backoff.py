"""Backoff: random pauses whose maximum doubles, up to a limit."""

import random

import pytest

from tablewright.access.calls.backoff import ATTEMPTS, LONGEST, SHORTEST, backoff


@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_the_maximum_doubles_up_to_a_limit(attempt: int) -> None:
    source = random.Random(attempt)
    pauses = [backoff(attempt, source).seconds for _ in range(500)]
    maximum = min(LONGEST, SHORTEST * 2**attempt)
    assert 0 <= min(pauses) < maximum * 0.1
    assert maximum * 0.9 < max(pauses) <= maximum


def test_the_same_source_gives_the_same_pauses() -> None:
    assert [backoff(3, random.Random(1)) for _ in range(2)] == [backoff(3, random.Random(1))] * 2
