"""Nearest vectors: the best rows of an index, found by comparing the query with every vector: the recall is 1.

Blocks of rows are compared first with cheap arithmetic whose error is known, in numpy if it is installed. Only rows
that may be among the best get their exact score, so the result is the same with and without numpy. Rows with equal
scores are in the order of stored keys, as in a Scan; AWS gives them no order.

Distances: the exact score of a vector, and cheap bounds of its rank.

A score is computed from 32-bit floats with 64-bit arithmetic and exact sums, then rounded to a 32-bit float, so it does
not depend on the order of additions: with and without numpy it is the same.

A rank orders results, the lowest first: the score, or minus the score for DOT_PRODUCT.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum, sqrt
from operator import mul, sub
from types import ModuleType
from typing import Any, NamedTuple

from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.dynamodb.values.vectors import single, unpacked
from tablewright.engine.features.vectors.vector_index import Distance

_ROUNDING = 2.0**-21
"""More than the relative error of rounding a score, or its square, to a 32-bit float."""


class VectorQuery:
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


_SINGLE_ERROR = 2.0**-23
"""Twice the relative error of one operation on 32-bit floats."""
_DOUBLE_ERROR = 2.0**-50
# Outside of this range, squares may be rounded to zero or infinity in 32-bit arithmetic, and scores too.
_SMALLEST, _LARGEST = 1e-30, 1e30

Filters = Mapping[str, AttributeValue]


class VectorBlock:
    """Rows of an index: their keys, their vectors, one after the other, and the attributes of inline filters."""

    __slots__ = ("_double_squares", "_squares", "keys", "labels", "vectors", "width")

    def __init__(
        self, keys: Sequence[bytes], vectors: bytes, width: int, labels: Sequence[Item] | None = None
    ) -> None:
        self.keys = keys
        self.vectors = vectors
        self.width = width
        """Bytes of one vector."""
        self.labels = labels
        """The values of inline filters, of each row; None when the index has no such filters."""
        self._squares: Any = None
        self._double_squares: dict[int, float] = {}

    def vector(self, position: int) -> bytes:
        """The vector of one row."""
        return self.vectors[position * self.width : (position + 1) * self.width]

    def square(self, position: int, numbers: tuple[float, ...]) -> float:
        """The square of the length of one row's vector, whose numbers are given; computed once."""
        square = self._double_squares.get(position)
        if square is None:
            square = self._double_squares[position] = sum(map(mul, numbers, numbers))
        return square

    def selected(self, filters: Filters) -> list[int] | None:
        """The positions of the rows that pass the filters; None when all do."""
        if not filters:
            return None
        assert self.labels is not None
        return [position for position, label in enumerate(self.labels) if passes(label, filters)]

    def arrays(self, np: ModuleType) -> tuple[Any, Any]:
        """The matrix of the vectors, and the square of the length of each."""
        matrix = np.frombuffer(self.vectors, "<f4").reshape(len(self.keys), -1)
        if self._squares is None:
            # Not `@`: its threads cost more than they save, and on a busy machine they wait for each other.
            self._squares = np.einsum("ij,ij->i", matrix, matrix).astype("f8")
        return matrix, self._squares


def passes(label: Item, filters: Filters) -> bool:
    """Whether a row with these values passes the filters."""
    return all(label.get(name) == value for name, value in filters.items())


class RowMatch(NamedTuple):
    """A row that may be a result; matches sort from the best to the worst."""

    rank: float
    key: bytes
    score: float
    vector: bytes


def load_numpy() -> ModuleType | None:
    """The numpy module, or None when it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


class NearestVectors:
    """The nearest rows to a query among all blocks that were added, at most `limit`."""

    def __init__(self, query: VectorQuery, limit: int, numpy: ModuleType | None) -> None:
        self._query = query
        self._limit = limit
        self._numpy = numpy
        self._is_safe = _SMALLEST < query.square < _LARGEST
        self._matches: list[RowMatch] = []

    @property
    def matches(self) -> list[RowMatch]:
        """The nearest rows so far, the best first."""
        return self._matches

    def add(self, block: VectorBlock, filters: Filters) -> None:
        """Compare the query with the vectors of a block."""
        selected = block.selected(filters)
        if not block.keys or selected == []:
            return
        if self._numpy is None:
            candidates = self._in_python(block, selected)
        else:
            candidates = self._in_numpy(self._numpy, block, selected)
        # Equal vectors are compared once.
        scores: dict[bytes, float] = {}
        for position in candidates:
            vector = block.vector(position)
            score = scores.get(vector)
            if score is None:
                score = scores[vector] = self._query.score(vector)
            self._offer(RowMatch(self._query.rank(score), block.keys[position], score, vector))

    def _offer(self, match: RowMatch) -> None:
        if len(self._matches) == self._limit:
            if match >= self._matches[-1]:
                return
            self._matches.pop()
        insort(self._matches, match)

    def _threshold(self) -> float:
        """A row whose bounds begin above this is not among the best."""
        full = len(self._matches) == self._limit
        return self._query.key_of(self._matches[-1].score) if full else float("inf")

    def _in_python(self, block: VectorBlock, selected: Iterable[int] | None) -> list[int]:
        """The positions of the rows that may be among the best."""
        query = self._query
        lows, highs = {}, []
        slack = len(query.numbers) * _DOUBLE_ERROR
        for position in range(len(block.keys)) if selected is None else selected:
            numbers = unpacked(block.vector(position))
            square = block.square(position, numbers)
            low, high = float("-inf"), float("inf")
            if self._is_safe and _SMALLEST < square < _LARGEST:
                low, high = query.bounds(sum(map(mul, query.numbers, numbers)), square, slack)
            lows[position] = low
            highs.append(high)
        threshold = self._threshold()
        if len(highs) >= self._limit:
            threshold = min(threshold, sorted(highs)[self._limit - 1])
        return [position for position, low in lows.items() if low <= threshold]

    def _in_numpy(self, np: ModuleType, block: VectorBlock, selected: list[int] | None) -> list[int]:
        query = self._query
        matrix, squares = block.arrays(np)
        if selected is not None:
            matrix, squares = matrix[selected], squares[selected]
        with np.errstate(all="ignore"):
            dots = np.einsum("ij,j->i", matrix, np.frombuffer(query.packed, "<f4")).astype("f8")
            lows, highs = query.bounds(dots, squares, len(query.numbers) * _SINGLE_ERROR)
        unsafe = ~((squares > _SMALLEST) & (squares < _LARGEST) & np.isfinite(lows) & np.isfinite(highs))
        if not self._is_safe:
            unsafe[:] = True
        lows[unsafe], highs[unsafe] = -np.inf, np.inf
        threshold = self._threshold()
        if len(highs) >= self._limit:
            threshold = min(threshold, float(np.partition(highs, self._limit - 1)[self._limit - 1]))
        positions: list[int] = np.flatnonzero(lows <= threshold).tolist()
        return positions if selected is None else [selected[position] for position in positions]
