"""Nearest: the same results with and without numpy, equal to those of sorting all scores."""

import random
from fractions import Fraction
from math import sqrt
from types import ModuleType

import pytest

from tablewright.dynamodb.values.vectors import pack_numbers, single, unpacked
from tablewright.engine.features.vectors import nearest
from tablewright.engine.features.vectors.nearest import (
    Filters,
    NearestVectors,
    VectorBlock,
    VectorQuery,
    load_numpy,
)
from tablewright.engine.features.vectors.vector_index import Distance

pytestmark = pytest.mark.figure

DISTANCES: tuple[Distance, ...] = ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")

BLOCK = 37


def block_of(vectors: dict[bytes, bytes]) -> VectorBlock:
    width = len(next(iter(vectors.values())))
    labels = [{"parity": {"S": "even" if key[-1] % 2 == 0 else "odd"}} for key in vectors]
    return VectorBlock(list(vectors), b"".join(vectors.values()), width, labels)


def search(
    vectors: dict[bytes, bytes],
    query: bytes,
    distance: Distance,
    limit: int,
    numpy: ModuleType | None,
    filters: Filters | None = None,
) -> list[tuple[bytes, float]]:
    found = NearestVectors(VectorQuery(query, distance), limit, numpy)
    entries = list(vectors.items())
    for start in range(0, len(entries), BLOCK):
        found.add(block_of(dict(entries[start : start + BLOCK])), filters or {})
    return [(match.key, match.score) for match in found.matches]


def model(
    vectors: dict[bytes, bytes], query: bytes, distance: Distance, limit: int
) -> list[tuple[bytes, float]]:
    """All scores, sorted."""
    scores = [(key, VectorQuery(query, distance).score(vector)) for key, vector in vectors.items()]
    sign = -1 if distance == "DOT_PRODUCT" else 1
    return sorted(scores, key=lambda each: (sign * each[1], each[0]))[:limit]


def random_vectors(generator: random.Random, dimensions: int, spread: float) -> list[bytes]:
    """Vectors of similar and of very different lengths, some of them equal, some zero."""
    vectors = []
    for _ in range(150):
        scale = 10 ** generator.uniform(-spread, spread)
        vectors.append(packed(*(scale * generator.gauss(0, 1) for _ in range(dimensions))))
    zero = packed(*[0.0] * dimensions)
    return vectors + generator.choices(vectors, k=20) + [zero] * 3


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("spread", [0, 3, 30])
def test_all_results_are_found_with_and_without_numpy(distance: Distance, spread: float) -> None:
    numpy = load_numpy()
    assert numpy is not None, "numpy is one of the packages for tests"
    generator = random.Random(f"{distance}{spread}")
    for dimensions in (1, 3, 64):
        bodies = random_vectors(generator, dimensions, spread)
        vectors = {number.to_bytes(2, "big"): body for number, body in enumerate(bodies)}
        for query in (*generator.sample(bodies, 3), packed(*[0.0] * dimensions)):
            for limit in (1, 10, 100):
                expected = model(vectors, query, distance, limit)
                assert search(vectors, query, distance, limit, numpy) == expected
                assert search(vectors, query, distance, limit, None) == expected


@pytest.mark.parametrize("distance", DISTANCES)
def test_nearly_equal_vectors_are_ordered_exactly(distance: Distance) -> None:
    """Their scores differ by less than the error of 32-bit arithmetic on 2,000 numbers."""
    generator = random.Random(11)
    base = [generator.gauss(0, 1) for _ in range(2000)]
    vectors = {}
    for number in range(60):
        changed = [each + generator.gauss(0, 1e-6) for each in base]
        vectors[number.to_bytes(2, "big")] = packed(*changed)
    query = packed(*(each + generator.gauss(0, 1e-6) for each in base))
    expected = model(vectors, query, distance, 5)
    assert search(vectors, query, distance, 5, load_numpy()) == expected
    assert search(vectors, query, distance, 5, None) == expected


def test_only_rows_that_may_be_results_get_an_exact_score(monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[bytes] = []
    score = VectorQuery.score

    def noted(self: VectorQuery, vector: bytes) -> float:
        scored.append(vector)
        return score(self, vector)

    monkeypatch.setattr(VectorQuery, "score", noted)
    generator = random.Random(2)
    vectors = {
        number.to_bytes(2, "big"): packed(*(generator.gauss(0, 1) for _ in range(32)))
        for number in range(20 * BLOCK)
    }
    for numpy in (load_numpy(), None):
        scored.clear()
        search(vectors, packed(*range(1, 33)), "COSINE", 3, numpy)
        assert len(scored) < len(vectors) / 10


@pytest.mark.parametrize("distance", DISTANCES)
def test_filters_select_rows_before_they_are_compared(distance: Distance) -> None:
    generator = random.Random(4)
    bodies = random_vectors(generator, 8, 1)
    vectors = {number.to_bytes(2, "big"): body for number, body in enumerate(bodies)}
    even = {key: body for key, body in vectors.items() if key[-1] % 2 == 0}
    filters: Filters = {"parity": {"S": "even"}}
    for numpy in (load_numpy(), None):
        assert search(vectors, bodies[0], distance, 10, numpy, filters) == model(
            even, bodies[0], distance, 10
        )
        assert search(vectors, bodies[0], distance, 10, numpy, {"parity": {"S": "none"}}) == []


def test_an_empty_block_adds_nothing() -> None:
    found = NearestVectors(VectorQuery(packed(1), "COSINE"), 5, load_numpy())
    found.add(VectorBlock([], b"", 4), {})
    assert found.matches == []


def test_numpy_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def without_numpy(name: str, *rest: object) -> object:
        if name == "numpy":
            raise ImportError
        return real(name, *rest)  # type: ignore[arg-type]

    assert nearest.load_numpy() is not None
    monkeypatch.setattr(builtins, "__import__", without_numpy)
    assert nearest.load_numpy() is None


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
        assert VectorQuery(one, distance).score(other) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_identical_vectors_are_at_distance_zero() -> None:
    body = packed(0.1, 0.2, 0.3)
    assert VectorQuery(body, "COSINE").score(body) == 0.0
    assert VectorQuery(body, "EUCLIDEAN").score(body) == 0.0


def test_the_rank_of_a_dot_product_is_reversed() -> None:
    assert VectorQuery(packed(1), "DOT_PRODUCT").rank(2.5) == -2.5
    assert VectorQuery(packed(1), "COSINE").rank(0.5) == 0.5


@pytest.mark.parametrize("distance", DISTANCES)
def test_bounds_enclose_the_rounded_score(distance: Distance) -> None:
    generator = random.Random(5)
    slack = 1e-6
    for _ in range(200):
        scale = 10 ** generator.uniform(-6, 6)
        one, other = (packed(*(scale * generator.gauss(0, 1) for _ in range(9))) for _ in range(2))
        query, numbers = VectorQuery(one, distance), unpacked(other)
        square = sum(each * each for each in numbers)
        dot = sum(a * b for a, b in zip(query.numbers, numbers, strict=True))
        # Errors as large as allowed.
        dot += generator.choice((-1, 1)) * slack * query.norm * sqrt(square)
        square *= 1 + generator.choice((-1, 1)) * slack
        low, high = query.bounds(dot, square, slack)
        assert low <= query.key_of(single(query.score(other))) <= high
