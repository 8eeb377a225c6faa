"""Backoff: how long to wait before asking again for what DynamoDB did not get to."""

import random

from tablewright.access.calls.procedures import Pause

SHORTEST = 0.05
LONGEST = 5.0
ATTEMPTS = 12
"""How often to ask before giving up: about half a minute."""


def backoff(attempt: int, luck: random.Random | None = None) -> Pause:
    """A random wait, up to twice as long with each attempt, so that many who wait do not come back together.

    >>> 0 <= backoff(3, random.Random(1)).seconds <= 0.4
    True
    """
    longest: float = min(LONGEST, SHORTEST * 2**attempt)
    return Pause((luck or random).uniform(0, longest))
