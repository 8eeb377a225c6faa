"""Numbers of sample data: within the limits of their field, and in the order of magnitude that its name suggests."""

import random
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

_RANGES: tuple[tuple[re.Pattern[str], float, float, float], ...] = tuple(
    (re.compile(pattern), low, high, step)
    for pattern, low, high, step in (
        (r"raised|received|paid_in", 5_000, 150_000, 1_000),
        (r"funding|goal|revenue|valuation|investment", 200_000, 2_000_000, 1_000),
        (r"salary|income|wage", 28_000, 120_000, 500),
        (r"rent|housing|tuition|budget", 400, 1_800, 10),
        (r"price|cost|amount|total|fee|balance|subtotal|charge|payment|money", 5, 250, 0.01),
        (r"percent|ratio|progress|completion", 0, 100, 1),
        (r"^age$|_age$", 18, 80, 1),
        (r"rating|stars|score", 1, 5, 1),
        (r"latitude|^lat$", -60, 70, 0.0001),
        (r"longitude|^lon$|^lng$", -180, 180, 0.0001),
        (r"year$", 2015, 2026, 1),
        (r"expires_in|seconds$|duration", 300, 7_200, 60),
        (r"bytes|storage|file_size", 10_000, 50_000_000, 1),
        (r"level|depth|rank|priority|generation", 0, 3, 1),
        (r"days$|hours$|minutes$", 1, 30, 1),
        (r"quantity|qty|seats|stock|count|size|items|members|attempts|tries|retries|number", 1, 20, 1),
    )
)
_USUAL = (1, 500, 1)


def sample_number(name: str, limits: Sequence[Any], source: random.Random, *, whole: bool) -> Decimal:
    """A number for a field with that name, within its limits.

    >>> from annotated_types import Ge, Lt
    >>> sample_number("price", [Ge(0)], random.Random(1), whole=False)
    Decimal('49.02')
    >>> 600 <= sample_number("size", [Ge(600), Lt(700)], random.Random(1), whole=True) < 700
    True
    """
    usual_low, usual_high, step = next(
        ((low, high, step) for pattern, low, high, step in _RANGES if pattern.search(name)), _USUAL
    )
    grain = _grain(limits, step, whole=whole)
    low, high = _bounds(limits, grain)
    if low is None and high is None:
        low, high = Fraction(str(usual_low)), Fraction(str(usual_high))
    elif low is None:
        low = min(Fraction(str(usual_low)), high or Fraction(0))
    elif high is None:
        fits = usual_high > low
        high = Fraction(str(usual_high)) if fits else low + 100 * grain
        low = max(low, Fraction(str(usual_low))) if fits else low
    elif low <= usual_low <= usual_high <= (high or 0):
        low, high = Fraction(str(usual_low)), Fraction(str(usual_high))
    assert high is not None
    first, last = -(-low // grain), high // grain
    chosen = source.randint(first, max(first, last)) * grain
    return Decimal(chosen.numerator) / Decimal(chosen.denominator)


def _grain(limits: Sequence[Any], step: float, *, whole: bool) -> Fraction:
    """The distance between two values."""
    multiple = limit(limits, "multiple_of")
    if multiple is not None:
        return Fraction(str(multiple))
    places = limit(limits, "decimal_places")
    least = Fraction(1) if whole else Fraction(1, 10 ** (2 if places is None else places))
    return max(Fraction(str(step)), least) if step >= 1 or whole else least


def _bounds(limits: Sequence[Any], grain: Fraction) -> tuple[Fraction | None, Fraction | None]:
    low = [*_all(limits, "ge"), *(bound + grain for bound in _all(limits, "gt"))]
    high = [*_all(limits, "le"), *(bound - grain for bound in _all(limits, "lt"))]
    digits = limit(limits, "max_digits")
    if digits is not None:
        high.append(Fraction(10 ** (digits - (limit(limits, "decimal_places") or 0)) - 1))
    return max(low, default=None), min(high, default=None)


def _all(limits: Sequence[Any], name: str) -> list[Fraction]:
    """The values of one limit, of all that are set."""
    found = (getattr(each, name, None) for each in limits)
    return [Fraction(str(bound)) for bound in found if bound is not None]


def limit(limits: Sequence[Any], name: str) -> Any:
    """The value of one limit of a field: `pattern`, `ge`, `max_length` and so on; None if it is not set."""
    for each in limits:
        if (found := getattr(each, name, None)) is not None:
            return found
    return None
