"""List sources: taken item by item, with a position that continues after what was taken."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Query, Repository, connect
from tablewright.access.procedures import run_sync
from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.reads.compiled_reads import CompiledReads
from tablewright.access.reads.list_sources import DONE, ListSource, QuerySource, merge_orders
from tablewright.access.reads.page_read import PageRead
from tablewright.errors import UsageError
from tests.access.reads import feed
from tests.access.reads.feed import (
    LatestPosts,
    NotesOf,
    NotesOfKind,
    Post,
    Posts,
    PostsByScore,
    PostsInNoOrder,
)


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(feed.gather(), environment="x") as opened:
        for number in range(6):
            opened.put(Post(post_id=str(number), shard=number % 2, time=f"{number:02}"))
        yield opened


def source_of(db: Repository, pattern: Any) -> ListSource:
    read: Any = CompiledReads(db.context).of(pattern)
    source: ListSource
    if isinstance(pattern, Query):
        source = QuerySource(read, read.request_of(pattern), False)
    else:
        source = run_sync(read.source(pattern, False), db.connection.call)
    source.begin_page(10)
    return source


def take(db: Repository, source: ListSource, count: int) -> list[str]:
    found = []
    for _ in range(count):
        run_sync(source.fill(count), db.connection.call)
        found.append(source.take().item["timeKey"]["S"])
    return found


def test_the_position_of_a_query_is_after_what_was_taken(db: Repository) -> None:
    source = source_of(db, Posts(shard=0))
    assert source.position() is None
    run_sync(source.fill(5), db.connection.call)
    assert source.position() is None
    assert take(db, source, 2) == ["00", "02"]
    assert source.position() == ["02", "POST#2", "POST"]
    resumed = source_of(db, Posts(shard=0))
    resumed.resume(source.position())
    assert resumed.position() == source.position()
    assert take(db, resumed, 1) == ["04"]


def test_a_list_that_has_ended_is_done(db: Repository) -> None:
    source = source_of(db, Posts(shard=0))
    assert take(db, source, 3) == ["00", "02", "04"]
    run_sync(source.fill(1), db.connection.call)
    assert source.is_done
    assert source.position() == DONE
    resumed = source_of(db, Posts(shard=0))
    resumed.resume(DONE)
    assert resumed.is_done


def test_merged_lists_have_one_position_each(db: Repository) -> None:
    source = source_of(db, Merged([Posts(shard=0), Posts(shard=1), Posts(shard=7)]))
    assert take(db, source, 3) == ["00", "01", "02"]
    assert source.position() == [["02", "POST#2", "POST"], ["01", "POST#1", "POST"], DONE]


def test_a_chained_position_names_its_list(db: Repository) -> None:
    source = source_of(db, Chained([Posts(shard=0), Posts(shard=1)]))
    assert take(db, source, 4) == ["00", "02", "04", "01"]
    name, position = source.position()
    assert position == ["01", "POST#1", "POST"]
    assert isinstance(name, str)


def test_a_source_without_requests_left_has_no_item(db: Repository) -> None:
    source = source_of(db, Merged([Posts(shard=0), Posts(shard=1)]))
    source.begin_page(0)
    run_sync(source.fill(5), db.connection.call)
    assert not source.has_item
    assert not source.is_done


def orders_of(*patterns: Query[Any], ignore_prefix: bool = False) -> Any:
    with connect(feed.gather(), environment="x") as db:
        found = [db._reads.of(pattern) for pattern in patterns]
        reads = [read for read in found if isinstance(read, PageRead)]
        requests = [read.request_of(pattern) for read, pattern in zip(reads, patterns, strict=True)]
        return merge_orders(reads, requests, ignore_prefix=ignore_prefix)


def test_texts_are_ordered_as_their_utf8_bytes() -> None:
    (order,) = orders_of(Posts(shard=0))
    texts = ["a", "Z", "é", "\U0001f600", "\uffff", "aa", ""]
    by_order = sorted(texts, key=lambda text: order({"timeKey": {"S": text}}))
    assert by_order == sorted(texts, key=str.encode)


def test_numbers_are_ordered_by_value() -> None:
    (order,) = orders_of(PostsByScore(shard=0))
    numbers = ["10", "9", "-1", "1E2", "0.5"]
    by_order = sorted(numbers, key=lambda number: order({"score": {"N": number}}))
    assert by_order == ["-1", "0.5", "9", "10", "1E2"]


def test_prefixes_are_ignored_on_request() -> None:
    goals, tasks = (NotesOfKind(owner="ada", kind_name=kind) for kind in ("goal", "task"))
    first, second = orders_of(goals, tasks, ignore_prefix=True)
    assert first({"SK": {"S": "goal#07"}}) == second({"SK": {"S": "task#07"}}) == "07"


@pytest.mark.parametrize(
    ("patterns", "problem"),
    [
        (
            (Posts(shard=0), LatestPosts(shard=1)),
            "Posts and LatestPosts have opposite orders; give both the same",
        ),
        ((Posts(shard=0), PostsByScore(shard=1)), r"by timeKey \(S\) and PostsByScore by score \(N\)"),
        ((PostsInNoOrder(shard=0),), "reads by-shard, which has no sort key to merge by; use Chained"),
        (
            (NotesOfKind(owner="ada", kind_name="a"), NotesOfKind(owner="ada", kind_name="b")),
            "begin with different texts, 'a#' and 'b#'",
        ),
    ],
)
def test_queries_without_a_common_order_are_rejected(patterns: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        orders_of(*patterns)


def test_ignoring_prefixes_needs_begins_with() -> None:
    with pytest.raises(UsageError, match="needs begins_with in the key of each query, and NotesOf has none"):
        orders_of(NotesOf(owner="ada"), ignore_prefix=True)


def test_equal_prefixes_need_no_setting() -> None:
    assert orders_of(NotesOfKind(owner="ada", kind_name="a"), NotesOfKind(owner="bob", kind_name="a"))
    assert Merged([NotesOf(owner="ada"), NotesOfKind(owner="bob", kind_name="a")])
