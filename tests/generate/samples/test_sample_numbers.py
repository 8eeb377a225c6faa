"""Numbers of samples are within limits, and plausible."""

import random
from decimal import Decimal
from typing import Any

import pytest
from annotated_types import Ge, Gt, Le, Lt, MultipleOf

from tablewright.generate.samples.sample_numbers import sample_number


@pytest.mark.parametrize(
    ("name", "limits", "low", "high"),
    [
        ("price", [], 5, 250),
        ("salary", [Ge(0)], 28_000, 120_000),
        ("percentage", [Ge(0), Le(100)], 0, 100),
        ("anything", [Gt(5), Lt(8)], 6, 7),
        ("anything", [Le(-3)], -1_000, -3),
        ("price", [Ge(1_000_000)], 1_000_000, 1_000_100),
        ("anything", [MultipleOf(25)], 0, 500),
    ],
)
def test_numbers_are_within_limits(name: str, limits: list[Any], low: int, high: int) -> None:
    source = random.Random(1)
    made = [sample_number(name, limits, source, whole=True) for _ in range(50)]
    assert all(low <= one <= high and one == int(one) for one in made)
    if MultipleOf(25) in limits:
        assert all(one % 25 == 0 for one in made)


def test_amounts_have_two_decimals() -> None:
    made = [sample_number("price", [], random.Random(seed), whole=False) for seed in range(20)]
    assert all(one == one.quantize(Decimal("0.01")) for one in made)
