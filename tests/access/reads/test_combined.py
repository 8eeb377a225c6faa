"""Merged and Chained: what they take, and what they reject."""

from typing import Any

import pytest

from tablewright import reads
from tablewright.access.reads.combined import Chained, Merged
from tablewright.errors import UsageError
from tests.access.reads.feed import Post, PostById, Posts


def test_they_are_values() -> None:
    assert Merged(Posts(shard=each) for each in range(2)) == Merged([Posts(shard=0), Posts(shard=1)])
    assert Chained([Posts(shard=0)]) != Chained([Posts(shard=1)])
    assert (reads.Merged, reads.Chained) == (Merged, Chained)


@pytest.mark.parametrize(
    ("given", "shown"),
    [(PostById(post_id="1"), "PostById"), (Posts, "Posts"), ("x", ""), (Chained([]), "Chained")],
)
def test_only_queries_are_merged(given: Any, shown: str) -> None:
    with pytest.raises(UsageError, match=rf"Merged takes queries, such as .*, not .*{shown}"):
        Merged([given])


def test_only_queries_and_merged_are_chained() -> None:
    given: Any = PostById(post_id="1")
    with pytest.raises(UsageError, match=r"Chained takes queries, such as .* and Merged, not .*PostById"):
        Chained([given])
    assert Chained[Post]([Merged([Posts(shard=0)]), Posts(shard=1)]).patterns


@pytest.mark.parametrize("kind", [Merged, Chained])
def test_a_query_is_given_once(kind: Any) -> None:
    with pytest.raises(UsageError, match=r"has a query twice, Posts\(shard=1\).*remove one"):
        kind([Posts(shard=1), Posts(shard=0), Posts(shard=1)])


def test_a_query_is_not_given_again_inside_of_merged() -> None:
    with pytest.raises(UsageError, match=r"Chained has a query twice, Posts\(shard=1\).*remove one"):
        Chained[Post]([Merged([Posts(shard=0), Posts(shard=1)]), Posts(shard=1)])
