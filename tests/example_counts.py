"""How many examples a property is tried with: a quarter of the full number in `make test`, all in `make soak`."""

from typing import Any

from hypothesis import settings

SMALL, FULL = 25, 100
"""Examples of a property that gives no number, by the profiles `tablewright` and `full`."""


def examples(number: int, **more: Any) -> settings:
    """Settings with so many examples at full size.

    >>> examples(60).max_examples in (15, 60)
    True
    """
    profile = settings.default
    assert profile is not None
    return settings(max_examples=max(number * profile.max_examples // FULL, 1), **more)
