"""Vector search: compares a query with the rows of a range of a vector index.

The vectors of a range are kept in memory after its first search, and refreshed with what writers changed before each
further search. A range that is too large for that is read from the store for every search.

Matches are read from the store again. A row that has changed since its vector was compared makes the search begin anew,
so no result has an old vector or an old filter value.

Search conditions: the equalities of a SearchConditionExpression on attributes of the search schema.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import NamedTuple

from tablewright.dynamodb.expressions import ItemCondition
from tablewright.dynamodb.expressions.nodes import And, ComparisonNode, ConditionNode, Constant, Path
from tablewright.dynamodb.values.attributes import AttributeValue, type_of
from tablewright.dynamodb.values.key_bytes import after, partition
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.dynamodb.values.vectors import WIDTH
from tablewright.engine.core.sessions import Reading, Sessions
from tablewright.engine.core.state.key_schema import empty_key, require_hash_size
from tablewright.engine.features.vectors.cached_blocks import CachedBlocks, label_of, next_block
from tablewright.engine.features.vectors.nearest import NearestVectors, RowMatch, VectorBlock, passes
from tablewright.engine.features.vectors.vector_index import CompiledVectorIndex, vector_part
from tablewright.engine.features.vectors.watched_ranges import WatchedRange, ranges_of
from tablewright.errors import ValidationError

KIND = "SearchConditionExpression"
_INVALID = f"Invalid {KIND}: "


class Equality(NamedTuple):
    """A condition that an attribute has a value."""

    path: Path
    value: AttributeValue


class Range(NamedTuple):
    """The rows of an index that a search compares: a range of keys, and values of inline filters."""

    low: bytes
    high: bytes | None
    filters: Mapping[str, AttributeValue]


def equalities_of(condition: ItemCondition) -> list[Equality]:
    """The equalities of a condition that has nothing else."""
    return _equalities(condition.node)


def _equalities(node: ConditionNode) -> list[Equality]:
    match node:
        case And(terms):
            return [equality for term in terms for equality in _equalities(term)]
        case ComparisonNode("=", Path() as path, Constant(value)) | ComparisonNode(
            "=", Constant(value), Path() as path
        ):
            return [Equality(path, value)]
        case _:
            raise ValidationError(f"{_INVALID}Invalid comparator used in {KIND}")


def range_of(index: CompiledVectorIndex, equalities: list[Equality] | None) -> Range:
    """The rows that a search with these equalities compares; None when the request has no condition."""
    if equalities is None:
        if index.hash is not None:
            raise ValidationError(f"{KIND} must be provided when SearchSchema has a HASH key")
        return Range(b"", None, {})
    values = _values(index, equalities)
    if index.hash is None:
        return Range(b"", None, values)
    (name,) = index.hash.names
    if name not in values:
        raise ValidationError(f"{KIND} must have all HASH attributes in configured SearchSchema")
    value = values.pop(name)
    kind = type_of(value)
    if not value[kind]:
        raise ValidationError(f"One or more parameter values are not valid. {empty_key(kind)} Key: {name}")
    require_hash_size(value)
    low = partition([value])
    return Range(low, after(low), values)


def _values(index: CompiledVectorIndex, equalities: list[Equality]) -> dict[str, AttributeValue]:
    for path, _ in equalities:
        if path.attribute not in index.types:
            raise ValidationError(
                f"{KIND} must not contain any attributes that is not in SearchSchema. "
                f"Invalid attribute: {path.attribute}"
            )
    if any(len(path.parts) > 1 for path, _ in equalities):
        raise ValidationError(f"{_INVALID}{KIND} cannot have conditions on nested attributes")
    values = {path.attribute: value for path, value in equalities}
    if len(values) < len(equalities):
        raise ValidationError(f"{_INVALID}{KIND} must only contain one condition per attribute")
    for name, value in values.items():
        if index.types[name] not in value:
            raise ValidationError(
                f"Type of '{name}' attribute in {KIND} ({type_of(value)}) does not match type in search schema "
                f"({index.types[name]})"
            )
    return values


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
    sessions: Sessions, index: CompiledVectorIndex, chosen: Range, new_search: Callable[[], NearestVectors]
) -> list[Found]:
    """The nearest rows of a range, the best first."""
    results: list[Found] = []
    for _ in range(ATTEMPTS):
        nearest = new_search()
        for block in _blocks(sessions, index, chosen):
            nearest.add(block, chosen.filters)
        results = sessions.snapshot(partial(_rows_of, index=index, chosen=chosen, matches=nearest.matches))
        if len(results) == len(nearest.matches):
            break
    return results


def _rows_of(tx: Reading, index: CompiledVectorIndex, chosen: Range, matches: list[RowMatch]) -> list[Found]:
    """The rows of the matches; without those that have changed."""
    results = []
    for match in matches:
        row = tx.rows.get(index.space, match.key)
        if row is None or vector_part(index, row) != match.vector:
            continue
        if not chosen.filters or passes(label_of(index, row), chosen.filters):
            results.append(Found(match.score, row))
    return results


def _blocks(sessions: Sessions, index: CompiledVectorIndex, chosen: Range) -> Iterable[VectorBlock]:
    watched = ranges_of(sessions.state).of(index.space, chosen.low, chosen.high)
    with watched.lock:
        cached = _refreshed(sessions, index, watched)
    return _stored(sessions, index, watched) if cached is None else cached.blocks


def _refreshed(sessions: Sessions, index: CompiledVectorIndex, watched: WatchedRange) -> CachedBlocks | None:
    """The cached blocks of a range, up to date; None when the range is too large."""
    content: CachedBlocks | None = watched.content
    try:
        if content is None:
            content = _load(sessions, index, watched)
        elif watched.changed:
            content = _refresh(sessions, index, watched, content)
    except BaseException:
        ranges_of(sessions.state).drop(watched)
        raise
    if content is None:
        ranges_of(sessions.state).drop(watched)
        return None
    watched.content, watched.size = content, content.size
    ranges_of(sessions.state).shrink(MAX_CACHED_BYTES, MAX_CACHED_RANGES, watched)
    return content


def _load(sessions: Sessions, index: CompiledVectorIndex, watched: WatchedRange) -> CachedBlocks | None:
    if not _in_turn(sessions, partial(ranges_of(sessions.state).watch, watched)):
        return None
    blocks = list(islice(_stored(sessions, index, watched), _most_blocks(index)))
    content = CachedBlocks(index, blocks)
    return content if content.size <= MAX_CACHED_BYTES else None


def _most_blocks(index: CompiledVectorIndex) -> int:
    """More blocks than can be cached; the last is one too many."""
    return MAX_CACHED_BYTES // (index.dimensions * WIDTH) + 1


def _refresh(
    sessions: Sessions, index: CompiledVectorIndex, watched: WatchedRange, content: CachedBlocks
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


def _stored(sessions: Sessions, index: CompiledVectorIndex, watched: WatchedRange) -> Iterator[VectorBlock]:
    """The blocks of a range, each read in its own short session: in memory, readers and writers take turns."""
    low: bytes | None = watched.low
    while low is not None:
        block, low = sessions.read(partial(_step, index=index, low=low, high=watched.high))
        yield block


def _step(
    tx: Reading, index: CompiledVectorIndex, low: bytes, high: bytes | None
) -> tuple[VectorBlock, bytes | None]:
    return next_block(tx.rows, index, low, high)
