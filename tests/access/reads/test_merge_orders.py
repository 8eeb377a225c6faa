"""Merge orders: which queries can be merged, and by what."""

from typing import Any

import pytest

from tablewright import Query, connect
from tablewright.access.reads.combined import Merged
from tablewright.access.reads.merge_orders import merge_orders
from tablewright.access.reads.page_read import PageRead
from tablewright.errors import UsageError
from tests.access.reads import feed
from tests.access.reads.feed import (
    LatestPosts,
    NotesOf,
    NotesOfKind,
    Posts,
    PostsByScore,
    PostsInNoOrder,
)


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
