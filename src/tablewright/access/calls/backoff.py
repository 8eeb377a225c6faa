"""Backoff: how long to wait before a retry."""

import random

from tablewright.access.calls.procedures import Pause

SHORTEST = 0.05
LONGEST = 5.0
ATTEMPTS = 12
"""Attempts before giving up: about half a minute."""


def backoff(attempt: int, source: random.Random | None = None) -> Pause:
    """Return a random pause. Its maximum doubles with each attempt; randomness keeps clients from retrying together.

    >>> 0 <= backoff(3, random.Random(1)).seconds <= 0.4
    True
    """
    longest: float = min(LONGEST, SHORTEST * 2**attempt)
    return Pause((source or random).uniform(0, longest))
