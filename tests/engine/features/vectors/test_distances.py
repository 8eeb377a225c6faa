"""Distances: exact scores against a model in fractions, and bounds that enclose them."""

import random
from fractions import Fraction
from math import sqrt

import pytest

from tablewright.dynamodb.values.vectors import pack_numbers, single, unpacked
from tablewright.engine.features.vectors.distances import Query
from tablewright.engine.features.vectors.vector_index import Distance

DISTANCES: tuple[Distance, ...] = ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")


def packed(*numbers: float) -> bytes:
    return pack_numbers([str(number) for number in numbers])


def score_of(distance: Distance, one: bytes, other: bytes) -> float:
    """The score, from sums of fractions."""
    left, right = [Fraction(each) for each in unpacked(one)], [Fraction(each) for each in unpacked(other)]
    dot = sum(a * b for a, b in zip(left, right, strict=True))
    if distance == "DOT_PRODUCT":
        return float(dot)
    if distance == "EUCLIDEAN":
        return sqrt(sum((a - b) ** 2 for a, b in zip(left, right, strict=True)))
    return 1 - float(dot) / (sqrt(sum(a * a for a in left)) * sqrt(sum(b * b for b in right)))


@pytest.mark.parametrize("distance", DISTANCES)
def test_scores_equal_those_of_a_model(distance: Distance) -> None:
    generator = random.Random(3)
    for _ in range(50):
        one, other = (packed(*(generator.gauss(0, 1) for _ in range(17))) for _ in range(2))
        expected = score_of(distance, one, other)
        assert Query(one, distance).score(other) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_identical_vectors_are_at_distance_zero() -> None:
    body = packed(0.1, 0.2, 0.3)
    assert Query(body, "COSINE").score(body) == 0.0
    assert Query(body, "EUCLIDEAN").score(body) == 0.0


def test_the_rank_of_a_dot_product_is_reversed() -> None:
    assert Query(packed(1), "DOT_PRODUCT").rank(2.5) == -2.5
    assert Query(packed(1), "COSINE").rank(0.5) == 0.5


@pytest.mark.parametrize("distance", DISTANCES)
def test_bounds_enclose_the_rounded_score(distance: Distance) -> None:
    generator = random.Random(5)
    slack = 1e-6
    for _ in range(200):
        scale = 10 ** generator.uniform(-6, 6)
        one, other = (packed(*(scale * generator.gauss(0, 1) for _ in range(9))) for _ in range(2))
        query, numbers = Query(one, distance), unpacked(other)
        square = sum(each * each for each in numbers)
        dot = sum(a * b for a, b in zip(query.numbers, numbers, strict=True))
        # Errors as large as allowed.
        dot += generator.choice((-1, 1)) * slack * query.norm * sqrt(square)
        square *= 1 + generator.choice((-1, 1)) * slack
        low, high = query.bounds(dot, square, slack)
        assert low <= query.key_of(single(query.score(other))) <= high
