"""Combined reads: several queries that are read as one list, with one cursor.

    Merged(OpenRoles.shards())                         all at once, in the order of their sort keys
    Chained(EntriesOfMonth.between(start, end))        one after the other

Pass them to `db.run`, `db.iterate`, `db.all` and `db.explain`, as any pattern:

    page = db.run(Merged(OpenRoles.shards()), limit=20, cursor=cursor)
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Any, Generic, TypeAlias, TypeVar

from tablewright.access.context import Context
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.procedures import Procedure
from tablewright.access.reads.list_sources import (
    ChainedSource,
    ListSource,
    MergedSource,
    QuerySource,
    merge_orders,
)
from tablewright.access.reads.page_read import MOST_REQUESTS, PageRead
from tablewright.access.reads.pages import Page, PageBuilder
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.patterns import Query
from tablewright.design.plans.parameter_parts import partition_parameters, shard_parameters
from tablewright.errors import UsageError

T = TypeVar("T", covariant=True)


@dataclass(frozen=True, init=False)
class Merged(Generic[T]):
    """Queries that are read as one list, in the order of their sort keys: the shards of a partition, for instance.

    All of them ascend or all of them descend, and their sort keys have the same type. Items with equal sort keys come
    in the order of the queries. Each query returns other items: an item that two of them return is returned twice.
    A list that has some shards of a partition and not all is refused.

    When the key conditions have different `begins_with` texts, no order of whole sort keys would mix the queries.
    `ignore_prefix=True` compares what follows these texts: of `TASK#2026-05-01` and `GOAL#2026-04-30`, the dates.
    """

    patterns: tuple[Query[T], ...]
    ignore_prefix: bool

    def __init__(self, patterns: Iterable[Query[T]], *, ignore_prefix: bool = False) -> None:
        queries = _listed("Merged", patterns)
        for query in queries:
            if not isinstance(query, Query):
                raise UsageError(
                    f"Merged takes queries, such as OpenRoles(shard=0), not {describe_argument(query)}"
                )
        _require_distinct("Merged", queries)
        _require_all_shards("Merged", queries)
        object.__setattr__(self, "patterns", queries)
        object.__setattr__(self, "ignore_prefix", ignore_prefix)


@dataclass(frozen=True, init=False)
class Chained(Generic[T]):
    """Queries that are read one after the other: the months of a log, for instance, newest first.

    An element may be a `Merged`: the shards of each month. A cursor names the query in which its page ended. So it
    stays valid when other queries are added before or after that one, such as a new month.
    """

    patterns: tuple[Query[T] | Merged[T], ...]

    def __init__(self, patterns: Iterable[Query[T] | Merged[T]]) -> None:
        chain = _listed("Chained", patterns)
        for link in chain:
            if not isinstance(link, Query | Merged):
                raise UsageError(
                    f"Chained takes queries, such as Entries(month=month), and Merged, not {describe_argument(link)}"
                )
        queries = [query for link in chain for query in _queries(link)]
        _require_distinct("Chained", queries)
        _require_all_shards("Chained", queries)
        object.__setattr__(self, "patterns", chain)


def _listed(kind: str, patterns: Iterable[T]) -> tuple[T, ...]:
    """The queries. A single query is rejected: as a model, it would be an iterable of its fields."""
    if isinstance(patterns, Query | Merged | Chained) or not isinstance(patterns, Iterable):
        raise UsageError(
            f"{kind} takes a list of queries, not {describe_argument(patterns)}; write {kind}([...])"
        )
    return tuple(patterns)


def _queries(pattern: Query[T] | Merged[T]) -> tuple[Query[T], ...]:
    return pattern.patterns if isinstance(pattern, Merged) else (pattern,)


def _require_distinct(kind: str, queries: Sequence[Any]) -> None:
    for place, query in enumerate(queries):
        if query in queries[:place]:
            raise UsageError(
                f"{kind} has a query twice, {query!r}, and would return its items twice; remove one"
            )


def _require_all_shards(kind: str, queries: Sequence[Query[Any]]) -> None:
    """Refuse a list that has some shards of a partition and not the others, whose items would be missing."""
    partitions: dict[tuple[type[Query[Any]], str], set[tuple[Any, ...]]] = {}
    for query in queries:
        shards = shard_parameters(type(query))
        if shards:
            values = query.__dict__
            others = sorted(partition_parameters(type(query)) - shards.keys())
            partition = (type(query), repr([values[name] for name in others]))
            partitions.setdefault(partition, set()).add(tuple(values[name] for name in shards))
    for (pattern, _), read in partitions.items():
        shards = shard_parameters(pattern)
        missing = [values for values in product(*shards.values()) if values not in read]
        if missing:
            raise _missing_shards(kind, pattern, list(shards), missing)


def _missing_shards(
    kind: str, pattern: type[Query[Any]], names: list[str], missing: list[tuple[Any, ...]]
) -> UsageError:
    name = pattern.__name__
    count = prod(map(len, shard_parameters(pattern).values()))
    shown = ", ".join(str(values[0] if len(values) == 1 else values) for values in missing[:10])
    more = ", ..." if len(missing) > 10 else ""
    others = [parameter for parameter in pattern.model_fields if parameter not in names]
    arguments = ", ".join(f"{parameter}=..." for parameter in others)
    return UsageError(
        f"{kind} has {count - len(missing)} of the {count} shards that {name} reads; without {', '.join(names)} = "
        f"{shown}{more} it would not return all items. Read all shards: reads.Merged({name}.shards({arguments}))"
    )


Combined: TypeAlias = Merged[Any] | Chained[Any]
ReadOf: TypeAlias = Callable[[Query[Any]], PatternRead]


class CombinedRead:
    """The read of a `Merged` or `Chained`."""

    kind = "Merged or Chained"

    def __init__(self, context: Context, read_of: ReadOf) -> None:
        self._context = context
        self._read_of = read_of

    def run(
        self, combined: Any, limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Any]]:
        """Read one page."""
        source = yield from self.source(combined, include_expired)
        if cursor is not None:
            source.resume(self._context.cursors.read(source.binding, cursor, type(combined).__name__))
        return (yield from self.page(source, limit))

    def source(self, combined: Combined, include_expired: bool) -> Procedure[ListSource]:
        """Return the list at its start."""
        return compute_with_keys(lambda: self._source(combined, include_expired))

    def page(self, source: ListSource, limit: int | None) -> Procedure[Page[Any]]:
        """Take the next page of a list; without a limit, what one request to each query returns."""
        if limit is not None and limit < 1:
            raise UsageError(f"limit must be at least 1, got {limit}")
        builder = PageBuilder()
        source.begin_page(MOST_REQUESTS if limit else 1)
        while limit is None or len(builder.items) < limit:
            if not source.has_item:
                yield from source.fill(None if limit is None else limit - len(builder.items))
                if not source.has_item:
                    break
            taken = source.take()
            taken.read.add(taken.item, builder)
        builder.consumed = source.consumed
        if source.is_done:
            return builder.page()
        return builder.page(self._context.cursors.make(source.binding, source.position()))

    def queries(self, combined: Combined) -> list[tuple[PageRead, Query[Any]]]:
        """Return all queries, with their reads."""
        queries = [query for pattern in combined.patterns for query in _queries(pattern)]
        return [(self._page_read(query), query) for query in queries]

    def _source(self, pattern: Combined | Query[Any], include_expired: bool) -> ListSource:
        if isinstance(pattern, Chained):
            return ChainedSource([self._source(link, include_expired) for link in pattern.patterns])
        if isinstance(pattern, Query):
            return self._query(pattern, include_expired)
        sources = [self._query(query, include_expired) for query in pattern.patterns]
        reads = [source.read for source in sources]
        requests = [source.request for source in sources]
        orders = merge_orders(reads, requests, ignore_prefix=pattern.ignore_prefix)
        descending = any(read.plan.pattern.descending for read in reads)
        return MergedSource(sources, orders, descending=descending)

    def _query(self, pattern: Query[Any], include_expired: bool) -> QuerySource:
        read = self._page_read(pattern)
        return QuerySource(read, read.request_of(pattern), include_expired)

    def _page_read(self, pattern: Query[Any]) -> PageRead:
        read = self._read_of(pattern)
        assert isinstance(read, PageRead)  # the read of a Query
        return read
