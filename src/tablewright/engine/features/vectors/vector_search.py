"""Vector search: compares a query with the rows of a range of a vector index.

The vectors of a range are kept in memory after its first search, and refreshed with what writers changed before each
further search. A range that is too large for that is read from the store for every search.

Matches are read from the store again. A row that has changed since its vector was compared makes the search begin anew,
so no result has an old vector or an old filter value.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.dynamodb.values.vectors import WIDTH
from tablewright.engine.core.sessions import Reading, Sessions
from tablewright.engine.features.vectors.cached_blocks import CachedBlocks
from tablewright.engine.features.vectors.nearest import Block, Match, Nearest, passes
from tablewright.engine.features.vectors.row_blocks import label_of, next_block
from tablewright.engine.features.vectors.search_conditions import Range
from tablewright.engine.features.vectors.vector_index import VectorIndex
from tablewright.engine.features.vectors.vector_rows import vector_part
from tablewright.engine.features.vectors.watched_ranges import WatchedRange

MAX_CACHED_BYTES = 512 << 20
"""Bytes of vectors that a database keeps in memory."""
MAX_CACHED_RANGES = 64
ATTEMPTS = 5
"""How often a search begins anew; then rows that change all the time are left out."""
_ROWS_AT_ONCE = 256


class Found(NamedTuple):
    """A result of a search."""

    score: float
    row: StoredItem


def search(
    sessions: Sessions, index: VectorIndex, chosen: Range, new_search: Callable[[], Nearest]
) -> list[Found]:
    """The nearest rows of a range, the best first."""
    found: list[Found] = []
    for _ in range(ATTEMPTS):
        nearest = new_search()
        for block in _blocks(sessions, index, chosen):
            nearest.add(block, chosen.filters)
        found = sessions.snapshot(partial(_rows_of, index=index, chosen=chosen, matches=nearest.matches))
        if len(found) == len(nearest.matches):
            break
    return found


def _rows_of(tx: Reading, index: VectorIndex, chosen: Range, matches: list[Match]) -> list[Found]:
    """The rows of the matches; without those that have changed."""
    found = []
    for match in matches:
        row = tx.rows.get(index.space, match.key)
        if row is None or vector_part(index, row) != match.vector:
            continue
        if not chosen.filters or passes(label_of(index, row), chosen.filters):
            found.append(Found(match.score, row))
    return found


def _blocks(sessions: Sessions, index: VectorIndex, chosen: Range) -> Iterable[Block]:
    watched = sessions.state.watched_ranges.of(index.space, chosen.low, chosen.high)
    with watched.lock:
        cached = _refreshed(sessions, index, watched)
    return _stored(sessions, index, watched) if cached is None else cached.blocks


def _refreshed(sessions: Sessions, index: VectorIndex, watched: WatchedRange) -> CachedBlocks | None:
    """The cached blocks of a range, up to date; None when the range is too large."""
    content: CachedBlocks | None = watched.content
    try:
        if content is None:
            content = _load(sessions, index, watched)
        elif watched.changed:
            content = _refresh(sessions, index, watched, content)
    except BaseException:
        sessions.state.watched_ranges.drop(watched)
        raise
    if content is None:
        sessions.state.watched_ranges.drop(watched)
        return None
    watched.content, watched.size = content, content.size
    sessions.state.watched_ranges.shrink(MAX_CACHED_BYTES, MAX_CACHED_RANGES, watched)
    return content


def _load(sessions: Sessions, index: VectorIndex, watched: WatchedRange) -> CachedBlocks | None:
    if not _in_turn(sessions, partial(sessions.state.watched_ranges.watch, watched)):
        return None
    blocks = list(islice(_stored(sessions, index, watched), _most_blocks(index)))
    content = CachedBlocks(index, blocks)
    return content if content.size <= MAX_CACHED_BYTES else None


def _most_blocks(index: VectorIndex) -> int:
    """More blocks than can be cached; the last is one too many."""
    return MAX_CACHED_BYTES // (index.dimensions * WIDTH) + 1


def _refresh(
    sessions: Sessions, index: VectorIndex, watched: WatchedRange, content: CachedBlocks
) -> CachedBlocks | None:
    keys: list[bytes] = []
    if not _in_turn(sessions, lambda: keys.extend(watched.take_changed())):
        return None
    rows: dict[bytes, StoredItem | None] = {}
    for start in range(0, len(keys), _ROWS_AT_ONCE):
        some = keys[start : start + _ROWS_AT_ONCE]
        rows |= sessions.read(partial(_get_all, space=index.space, keys=some))
    return content.changed(rows)


def _get_all(tx: Reading, space: int, keys: list[bytes]) -> dict[bytes, StoredItem | None]:
    return {key: tx.rows.get(space, key) for key in keys}


def _in_turn(sessions: Sessions, action: Callable[[], None]) -> bool:
    """Run the action in a writer's turn, after all commits; return whether it was run."""
    done: list[bool] = []

    def mark() -> None:
        action()
        done.append(True)

    sessions.state.store.snapshot_at(mark, lambda rows: None, wait=True)
    return bool(done)


def _stored(sessions: Sessions, index: VectorIndex, watched: WatchedRange) -> Iterator[Block]:
    """The blocks of a range, each read in its own short session: in memory, readers and writers take turns."""
    low: bytes | None = watched.low
    while low is not None:
        block, low = sessions.read(partial(_step, index=index, low=low, high=watched.high))
        yield block


def _step(tx: Reading, index: VectorIndex, low: bytes, high: bytes | None) -> tuple[Block, bytes | None]:
    return next_block(tx.rows, index, low, high)
