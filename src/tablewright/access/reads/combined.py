"""Combined reads: several queries that are read as one list, with one cursor.

    Merged([OpenRoles(shard=shard) for shard in range(8)])         all at once, in the order of their sort keys
    Chained([Entries(month=month) for month in months])            one after the other

Pass them to `db.run`, `db.iterate`, `db.all` and `db.explain`, as any pattern:

    page = db.run(Merged([OpenRoles(shard=shard) for shard in range(8)]), limit=20, cursor=cursor)
"""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from tablewright.access.given_values import describe_given
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.patterns.patterns import Query
from tablewright.errors import UsageError

T = TypeVar("T", covariant=True)


@dataclass(frozen=True, init=False)
class Merged(Generic[T]):
    """Queries that are read as one list, in the order of their sort keys: the shards of a partition, for instance.

    All of them ascend or all of them descend, and their sort keys have the same type. Items with equal sort keys come
    in the order of the queries. Each query returns other items: an item that two of them return is returned twice.

    When the key conditions have different `begins_with` texts, no order of whole sort keys would mix the queries.
    `ignore_prefix=True` compares what follows these texts: of `TASK#2026-05-01` and `GOAL#2026-04-30`, the dates.
    """

    patterns: tuple[Query[T], ...]
    ignore_prefix: bool

    def __init__(self, patterns: Iterable[Query[T]], *, ignore_prefix: bool = False) -> None:
        given = _listed("Merged", patterns)
        for each in given:
            if not isinstance(each, Query):
                raise UsageError(
                    f"Merged takes queries, such as OpenRoles(shard=0), not {describe_given(each)}"
                )
        _require_distinct("Merged", given)
        object.__setattr__(self, "patterns", given)
        object.__setattr__(self, "ignore_prefix", ignore_prefix)


@dataclass(frozen=True, init=False)
class Chained(Generic[T]):
    """Queries that are read one after the other: the months of a log, for instance, newest first.

    An element may be a `Merged`: the shards of each month. A cursor names the query in which its page ended. So it
    stays valid when other queries are added before or after that one, such as a new month.
    """

    patterns: tuple[Query[T] | Merged[T], ...]

    def __init__(self, patterns: Iterable[Query[T] | Merged[T]]) -> None:
        given = _listed("Chained", patterns)
        for each in given:
            if not isinstance(each, Query | Merged):
                raise UsageError(
                    f"Chained takes queries, such as Entries(month=month), and Merged, not {describe_given(each)}"
                )
        _require_distinct("Chained", [query for each in given for query in _queries(each)])
        object.__setattr__(self, "patterns", given)


def _listed(kind: str, patterns: Iterable[T]) -> tuple[T, ...]:
    """The queries. A single query is rejected: as a model, it would be an iterable of its fields."""
    if isinstance(patterns, Query | Merged | Chained) or not isinstance(patterns, Iterable):
        raise UsageError(
            f"{kind} takes a list of queries, not {describe_given(patterns)}; write {kind}([...])"
        )
    return tuple(patterns)


def _queries(given: Query[T] | Merged[T]) -> tuple[Query[T], ...]:
    return given.patterns if isinstance(given, Merged) else (given,)


def _require_distinct(kind: str, given: Sequence[Any]) -> None:
    for place, each in enumerate(given):
        if each in given[:place]:
            raise UsageError(
                f"{kind} has a query twice, {each!r}, and would return its items twice; remove one"
            )
