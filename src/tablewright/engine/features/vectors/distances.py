"""Distances: the exact score of a vector, and cheap bounds of its rank.

A score is computed from 32-bit floats with 64-bit arithmetic and exact sums, then rounded to a 32-bit float, so it does
not depend on the order of additions: with and without numpy it is the same.

A rank orders results, the lowest first: the score, or minus the score for DOT_PRODUCT.
"""

from collections.abc import Callable
from math import fsum, sqrt
from operator import mul, sub
from typing import Any

from tablewright.dynamodb.values.vectors import single, unpacked
from tablewright.engine.features.vectors.vector_index import Distance

_ROUNDING = 2.0**-21
"""More than the relative error of rounding a score, or its square, to a 32-bit float."""


class Query:
    """The vector of a search, with its distance function."""

    def __init__(self, vector: bytes, distance: Distance) -> None:
        self.packed = vector
        self.numbers = unpacked(vector)
        self.square = fsum(map(mul, self.numbers, self.numbers))
        self.norm = sqrt(self.square)
        self.distance = distance
        self._score: Callable[[tuple[float, ...]], float] = {
            "COSINE": self._cosine,
            "EUCLIDEAN": self._euclidean,
            "DOT_PRODUCT": self._dot,
        }[distance]

    def score(self, vector: bytes) -> float:
        """The score of a packed vector."""
        return single(self._score(unpacked(vector)))

    def rank(self, score: float) -> float:
        """The rank of a score: the lowest is the best."""
        return -score if self.distance == "DOT_PRODUCT" else score

    def _dot(self, vector: tuple[float, ...]) -> float:
        return fsum(map(mul, self.numbers, vector))

    def _cosine(self, vector: tuple[float, ...]) -> float:
        square = fsum(map(mul, vector, vector))
        if not square or not self.square:
            return 1.0
        if vector == self.numbers:
            return 0.0
        return min(2.0, max(0.0, 1.0 - self._dot(vector) / (sqrt(square) * self.norm)))

    def _euclidean(self, vector: tuple[float, ...]) -> float:
        differences = list(map(sub, self.numbers, vector))
        return sqrt(fsum(map(mul, differences, differences)))

    def bounds(self, dot: Any, square: Any, slack: float) -> tuple[Any, Any]:
        """A lower and an upper bound of the key of a vector, or of many: the arguments are floats or numpy arrays.

        `dot` and `square` are computed products with the query and with the vector itself; `slack` is their largest
        relative error, as part of the product of both norms and of the square."""
        norms = square**0.5 * (1 + slack) * self.norm
        if self.distance == "COSINE":
            key = 1.0 - dot / norms
            error: Any = 4 * slack + 4 * _ROUNDING
        elif self.distance == "EUCLIDEAN":
            key = self.square + square - 2 * dot
            error = slack * (square + 2 * norms) + _ROUNDING * (self.square + square)
        else:
            key = -dot
            error = slack * norms + _ROUNDING * norms
        return key - error, key + error

    def key_of(self, score: float) -> float:
        """The value that `bounds` encloses, of a score: for EUCLIDEAN the square of the score, else the rank."""
        return score * score if self.distance == "EUCLIDEAN" else self.rank(score)
