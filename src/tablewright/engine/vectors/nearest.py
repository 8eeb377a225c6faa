"""Nearest: the best rows of an index, found by comparing the query with every vector: the recall is 1.

Blocks of rows are compared first with cheap arithmetic whose error is known, in numpy if it is installed. Only rows
that may be among the best get their exact score, so the result is the same with and without numpy. Rows with equal
scores are ordered by key; AWS gives them no order.
"""

from bisect import insort
from collections.abc import Sequence
from operator import mul
from types import ModuleType
from typing import NamedTuple

from tablewright.engine.vectors.distances import Query
from tablewright.values.stored_items import StoredItem
from tablewright.values.vectors import unpacked

_SINGLE_ERROR = 2.0**-23
"""Twice the relative error of one operation on 32-bit floats."""
_DOUBLE_ERROR = 2.0**-50
# Outside of this range, squares may be rounded to zero or infinity in 32-bit arithmetic, and scores too.
_SMALLEST, _LARGEST = 1e-30, 1e30


class Block(NamedTuple):
    """Rows of an index, with their vectors."""

    rows: Sequence[tuple[bytes, StoredItem]]
    vectors: Sequence[bytes]


class Match(NamedTuple):
    """A row that may be a result; matches sort from the best to the worst."""

    rank: float
    key: bytes
    score: float
    row: StoredItem


def load_numpy() -> ModuleType | None:
    """The numpy module, or None when it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


class Nearest:
    """The nearest rows to a query among all blocks that were added, at most `limit`."""

    def __init__(self, query: Query, limit: int, numpy: ModuleType | None) -> None:
        self._query = query
        self._limit = limit
        self._numpy = numpy
        self._is_safe = _SMALLEST < query.square < _LARGEST
        self._matches: list[Match] = []
        self._scores: dict[bytes, float] = {}
        """The scores of the candidates of one block: equal vectors are compared once."""

    @property
    def matches(self) -> list[Match]:
        """The nearest rows so far, the best first."""
        return self._matches

    def add(self, block: Block) -> None:
        """Compare the query with the vectors of a block."""
        if not block.rows:
            return
        positions = self._in_python(block) if self._numpy is None else self._in_numpy(self._numpy, block)
        self._scores.clear()
        for position in positions:
            vector = block.vectors[position]
            score = self._scores.get(vector)
            if score is None:
                score = self._scores[vector] = self._query.score(vector)
            self._offer(score, *block.rows[position])

    def _offer(self, score: float, key: bytes, row: StoredItem) -> None:
        match = Match(self._query.rank(score), key, score, row)
        if len(self._matches) == self._limit:
            if match[:2] >= self._matches[-1][:2]:
                return
            self._matches.pop()
        insort(self._matches, match, key=lambda each: each[:2])

    def _threshold(self) -> float:
        """A row whose bounds begin above this is not among the best."""
        full = len(self._matches) == self._limit
        return self._query.key_of(self._matches[-1].score) if full else float("inf")

    def _in_python(self, block: Block) -> list[int]:
        """The positions of the rows that may be among the best."""
        query = self._query
        lows, highs = [], []
        slack = len(query.numbers) * _DOUBLE_ERROR
        for vector in block.vectors:
            numbers = unpacked(vector)
            square = sum(map(mul, numbers, numbers))
            low, high = float("-inf"), float("inf")
            if self._is_safe and _SMALLEST < square < _LARGEST:
                low, high = query.bounds(sum(map(mul, query.numbers, numbers)), square, slack)
            lows.append(low)
            highs.append(high)
        threshold = self._threshold()
        if len(highs) >= self._limit:
            threshold = min(threshold, sorted(highs)[self._limit - 1])
        return [position for position, low in enumerate(lows) if low <= threshold]

    def _in_numpy(self, np: ModuleType, block: Block) -> list[int]:
        query, dimensions = self._query, len(self._query.numbers)
        matrix = np.frombuffer(b"".join(block.vectors), "<f4").reshape(-1, dimensions)
        asked = np.frombuffer(query.packed, "<f4")
        slack = dimensions * _SINGLE_ERROR
        with np.errstate(all="ignore"):
            squares = np.einsum("ij,ij->i", matrix, matrix).astype("f8")
            lows, highs = query.bounds((matrix @ asked).astype("f8"), squares, slack)
        unsafe = ~((squares > _SMALLEST) & (squares < _LARGEST) & np.isfinite(lows) & np.isfinite(highs))
        if not self._is_safe:
            unsafe[:] = True
        lows[unsafe], highs[unsafe] = -np.inf, np.inf
        threshold = self._threshold()
        if len(highs) >= self._limit:
            threshold = min(threshold, float(np.partition(highs, self._limit - 1)[self._limit - 1]))
        return np.flatnonzero(lows <= threshold).tolist()  # type: ignore[no-any-return]
