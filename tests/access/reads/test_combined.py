"""Merged and Chained: what they take, and what they reject."""

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import Clock, Entity, Index, Keys, Query, Repository, Table, connect, reads
from tablewright.access.procedures import run_sync
from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.reads.compiled_reads import CompiledReads
from tablewright.access.reads.page_read import PageRead
from tablewright.errors import BadCursor, UsageError
from tests.access.conftest import START, Awaited
from tests.access.reads import feed
from tests.access.reads.feed import (
    BestPosts,
    LatestPosts,
    Note,
    NotesOfKind,
    Post,
    PostById,
    Posts,
    PostsByScore,
    PostTimes,
    Score,
    ScoredPosts,
    Scores,
    pages_of,
)


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


SHARDS = 3


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock(start=START)


@pytest.fixture(scope="module", params=["memory", "http", "memory awaited", "http awaited"])
def opened(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Any]:
    place, _, awaited = request.param.partition(" ")
    where = request.getfixturevalue("endpoint") if place == "http" else None
    environment = f"test-{uuid4().hex[:12]}"
    repository = connect(feed.gather(), where, environment=environment, clock=clock, create=True)
    used = Awaited(repository) if awaited else repository
    yield used
    used.close()


@pytest.fixture
def empty(opened: Any) -> Any:
    clear(opened)
    return opened


def clear(db: Any) -> None:
    for table in (feed.feed, feed.scores):
        name = db.context.table_name(table)
        for item in db.connection.call("Scan", {"TableName": name})["Items"]:
            key = {attribute: item[attribute] for attribute in table.key}
            db.connection.call("DeleteItem", {"TableName": name, "Key": key})


def fill(db: Any, shards: list[list[int]]) -> list[Post]:
    """Posts with these times, in these shards."""
    posts = [
        Post(post_id=f"{shard}-{number}", shard=shard, time=f"{time:02}", score=time - 5)
        for shard, times in enumerate(shards)
        for number, time in enumerate(times)
    ]
    for post in posts:
        db.put(post)
    return posts


def merged(kind: Any, shards: int = SHARDS, **more: Any) -> Merged[Any]:
    return Merged([kind(shard=shard, **more) for shard in range(shards)])


CONTENTS = st.lists(st.lists(st.integers(0, 9), max_size=7), min_size=1, max_size=4)


@settings(max_examples=12, deadline=None)
@given(
    shards=CONTENTS,
    limit=st.one_of(st.integers(1, 8), st.none()),
    order=st.sampled_from([(Posts, "time", False), (LatestPosts, "time", True)])
    | st.sampled_from([(PostsByScore, "score", False), (BestPosts, "score", True)]),
)
def test_merged_pages_are_the_sorted_list(
    opened: Any, shards: list[list[int]], limit: int | None, order: tuple[Any, str, bool]
) -> None:
    """Equal sort keys come in the order of the queries; nothing is lost or doubled."""
    clear(opened)
    posts = fill(opened, shards)
    kind, name, descending = order
    pattern = merged(kind, len(shards))
    pages = pages_of(opened, pattern, limit)
    found = [post for page in pages for post in page]
    expected = sorted(posts, key=lambda post: getattr(post, name), reverse=descending)
    assert [getattr(post, name) for post in found] == [getattr(post, name) for post in expected]
    assert sorted(post.post_id for post in found) == sorted(post.post_id for post in posts)
    for first, second in pairwise(found):
        assert getattr(first, name) != getattr(second, name) or first.shard <= second.shard
    if limit is not None:
        assert all(len(page) == limit for page in pages[:-1])
    assert opened.all(pattern) == found


@settings(max_examples=6, deadline=None)
@given(shards=CONTENTS, limit=st.integers(1, 8), least=st.integers(-5, 4))
def test_merged_pages_with_a_filter_are_the_filtered_list(
    opened: Any, shards: list[list[int]], limit: int, least: int
) -> None:
    clear(opened)
    posts = fill(opened, shards)
    pages = pages_of(opened, merged(ScoredPosts, len(shards), least=least), limit)
    found = [post.time for page in pages for post in page]
    assert found == sorted(post.time for post in posts if post.score >= least)


@settings(max_examples=6, deadline=None)
@given(shards=CONTENTS, limit=st.one_of(st.integers(1, 8), st.none()))
def test_chained_pages_are_the_lists_one_after_the_other(
    opened: Any, shards: list[list[int]], limit: int | None
) -> None:
    clear(opened)
    posts = fill(opened, shards)
    pattern = Chained([Posts(shard=shard) for shard in range(len(shards))])
    pages = pages_of(opened, pattern, limit)
    found = [(post.shard, post.time) for page in pages for post in page]
    assert found == sorted((post.shard, post.time) for post in posts)
    if limit is not None:
        assert all(len(page) == limit for page in pages[:-1])
    assert [(post.shard, post.time) for post in opened.all(pattern)] == found


@settings(max_examples=6, deadline=None)
@given(shards=CONTENTS, limit=st.integers(1, 8))
def test_chained_merged_pages_are_merged_group_by_group(
    opened: Any, shards: list[list[int]], limit: int
) -> None:
    clear(opened)
    posts = fill(opened, shards)
    groups = [[0, 1], [2, 3]]
    pattern = Chained([Merged([Posts(shard=shard) for shard in group]) for group in groups])
    found = [post.time for page in pages_of(opened, pattern, limit) for post in page]
    expected = [sorted(post.time for post in posts if post.shard in group) for group in groups]
    assert found == [time for times in expected for time in times]


def test_items_that_exist_throughout_are_neither_skipped_nor_doubled(empty: Any) -> None:
    """Other writers insert and delete items between the pages, before and after the position."""
    posts = fill(empty, [[10, 20, 30, 40], [11, 21, 31], [12, 12, 42]])
    kept = {post.post_id for post in posts} - {"0-1", "2-1"}
    found, cursor, number = [], None, 0
    while True:
        page = empty.run(merged(Posts), limit=2, cursor=cursor)
        found += [post.post_id for post in page]
        cursor = page.cursor
        if cursor is None:
            break
        number += 1
        empty.put(Post(post_id=f"new-{number}", shard=number % 3, time=f"{number * 9:02}"))
        if number == 1:
            empty.delete(posts[1])
            empty.delete(posts[8])
    assert [each for each in found if each in kept] == list(dict.fromkeys(e for e in found if e in kept))
    assert kept <= set(found)
    assert number >= 3


def test_numbers_are_ordered_by_value(empty: Any) -> None:
    for board, values in (("a", (9, 10, -3)), ("b", (100, 99, -20))):
        for value in values:
            empty.put(Score(board=board, score=value))
    found = empty.run(Merged([Scores(board="a"), Scores(board="b")]), limit=10)
    assert [each.score for each in found] == [-20, -3, 9, 10, 99, 100]


def test_prefixes_can_be_ignored(empty: Any) -> None:
    for time, kind in enumerate(["task", "goal", "goal", "task", "goal"]):
        empty.put(Note(owner="ada", kind_name=kind, time=f"{time:02}"))
    kinds = [NotesOfKind(owner="ada", kind_name=kind) for kind in ("goal", "task")]
    pages = pages_of(empty, Merged(kinds, ignore_prefix=True), 2)
    assert [[note.time for note in page] for page in pages] == [["00", "01"], ["02", "03"], ["04"]]
    with pytest.raises(
        UsageError, match=r"different texts, 'goal#' and 'task#'.*ignore_prefix=True.*Chained"
    ):
        empty.run(Merged(kinds))


def test_expired_items_are_left_out_unless_they_are_included(empty: Any) -> None:
    for number in range(6):
        expires = int(START) - 5 if number % 2 else None
        empty.put(Post(post_id=str(number), shard=number % 3, time=f"{number:02}", expires_at=expires))
    assert [post.post_id for page in pages_of(empty, merged(Posts), 2) for post in page] == ["0", "2", "4"]
    whole = pages_of(empty, merged(Posts), 4, include_expired=True)
    assert [[post.post_id for post in page] for page in whole] == [["0", "1", "2", "3"], ["4", "5"]]


def test_items_of_other_types_are_listed_as_unknown(empty: Any) -> None:
    fill(empty, [[1, 3], [2]])
    raw = {"PK": {"S": "x"}, "SK": {"S": "x"}, "shardKey": {"S": "SHARD#1"}, "timeKey": {"S": "00"}}
    empty.connection.call("PutItem", {"TableName": empty.context.table_name(feed.feed), "Item": raw})
    page = empty.run(merged(Posts), limit=2)
    assert [post.time for post in page] == ["01", "02"]
    assert [error.key for error in page.unknown] == [{"PK": {"S": "x"}, "SK": {"S": "x"}}]


def test_rows_are_merged(empty: Any) -> None:
    fill(empty, [[1, 3], [2]])
    page = empty.rows(merged(PostTimes), limit=2)
    assert [row["time"] for row in page] == ["01", "02"]
    rest = empty.rows(merged(PostTimes), limit=2, cursor=page.cursor)
    assert [row["time"] for row in rest] == ["03"]


def test_no_queries_are_an_empty_list(empty: Any) -> None:
    for pattern in (Merged[Post]([]), Chained[Post]([])):
        page = empty.run(pattern, limit=3)
        assert (list(page), page.cursor) == ([], None)
        assert empty.all(pattern) == []


def test_a_page_reads_no_more_than_it_needs(empty: Any) -> None:
    """Four shards share a page; each is asked for its share and one more."""
    fill(empty, [[*range(20)], [*range(20)], [*range(20)], [*range(20)]])
    page = empty.run(merged(Posts, 4), limit=8)
    assert len(page) == 8
    assert page.consumed == 4 * 0.5


def test_a_chained_page_reads_one_list_after_the_other(empty: Any) -> None:
    fill(empty, [[1, 2, 3], [4, 5, 6]])
    page = empty.run(Chained([Posts(shard=0), Posts(shard=1)]), limit=2)
    assert (len(page), page.consumed) == (2, 0.5)


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(feed.gather(), environment="x") as opened:
        fill(opened, [[1, 4, 7], [2, 5, 8], [3, 6, 9]])
        yield opened


@pytest.mark.parametrize(
    "other",
    [
        merged(LatestPosts),
        merged(Posts, 2),
        Merged([Posts(shard=shard) for shard in (2, 1, 0)]),
        Chained([Posts(shard=0)]),
        Posts(shard=0),
    ],
    ids=["order", "fewer", "sequence", "chained", "one"],
)
def test_a_merged_cursor_belongs_to_its_queries(db: Repository, other: Any) -> None:
    cursor = db.run(merged(Posts), limit=2).cursor
    assert cursor is not None
    with pytest.raises(BadCursor, match="another pattern or to other parameters"):
        db.run(other, cursor=cursor)


def test_a_chained_cursor_stays_valid_when_lists_are_added(db: Repository) -> None:
    """A new month begins the list; the cursor continues in the month where its page ended."""
    page = db.run(Chained([Posts(shard=1), Posts(shard=0)]), limit=2)
    longer = Chained([Posts(shard=2), Posts(shard=1), Posts(shard=0)])
    rest = db.run(longer, limit=9, cursor=page.cursor)
    assert [post.time for post in (*page, *rest)] == ["02", "05", "08", "01", "04", "07"]


def test_a_chained_cursor_of_other_lists_is_rejected(db: Repository) -> None:
    cursor = db.run(Chained([Posts(shard=1)]), limit=2).cursor
    with pytest.raises(BadCursor, match="not among these"):
        db.run(Chained([Posts(shard=0)]), cursor=cursor)


def forged_cursor(db: Repository, pattern: Any, position: Any) -> str:
    """A cursor of the pattern with a position that no page had."""
    read: Any = CompiledReads(db.context).of(pattern)
    source = run_sync(read.source(pattern, False), db.connection.call)
    return db.context.cursors.make(source.binding, position)


@pytest.mark.parametrize(
    "position",
    [
        5,
        "x",
        True,
        {},
        [],
        [0, 0],
        [0, 0, 0, 0],
        [[], [], []],
        [False, 0, 0],
        [0.0, 0, 0],
        [["x"], None, None],
        [["1", "2", 3], None, None],
        [["1", "", ""], None, None],
        [{"PK": "x"}, 0, 0],
    ],
)
def test_a_forged_merged_position_is_rejected(db: Repository, position: Any) -> None:
    with pytest.raises(BadCursor, match="damaged"):
        db.run(merged(Posts), limit=2, cursor=forged_cursor(db, merged(Posts), position))


@pytest.mark.parametrize("position", [5, None, 0, [], ["x"], ["x", None], [None, None], [[], 0]])
def test_a_forged_chained_position_is_rejected(db: Repository, position: Any) -> None:
    pattern = Chained([Posts(shard=0)])
    with pytest.raises(BadCursor, match=r"damaged|not among these"):
        db.run(pattern, limit=2, cursor=forged_cursor(db, pattern, position))


def test_a_limit_below_one_is_rejected(db: Repository) -> None:
    with pytest.raises(UsageError, match="at least 1, got 0"):
        db.run(merged(Posts), limit=0)


def test_one_entity_is_not_read_from_many(db: Repository) -> None:
    with pytest.raises(UsageError, match="Merged is a Merged or Chained and returns many"):
        db.get_or_raise(merged(Posts))  # type: ignore[arg-type]


def test_signed_cursors_continue_merged_pages(db: Repository) -> None:
    signed = connect(feed.gather(), db.connection, environment="x", cursor_key="0123456789abcdef")
    pages = pages_of(signed, merged(Posts), 4)
    assert [post.time for page in pages for post in page] == [f"{time:02}" for time in range(1, 10)]


def test_a_cursor_of_many_shards_is_compact() -> None:
    with connect(feed.gather(), environment="x") as db:
        fill(db, [[*range(10)] for _ in range(16)])
        cursor = db.run(merged(Posts, 16), limit=20).cursor
    assert cursor is not None
    assert len(cursor) < 300


def test_async_pages_read_the_shards_at_the_same_time(db: Repository) -> None:
    running = most = 0

    async def read() -> None:
        awaited = db.aio
        call = awaited.connection.call

        async def counted(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            try:
                return await call(operation, request)
            finally:
                running -= 1

        awaited.connection.call = counted  # type: ignore[method-assign]
        assert len(await awaited.run(merged(Posts), limit=9)) == 9

    asyncio.run(read())
    assert most == SHARDS


def test_explain_shows_the_first_query_and_the_cost_of_all(db: Repository) -> None:
    explanation = db.explain(merged(Posts), limit=9)
    assert explanation.name == "Merged of 3 Posts"
    assert explanation.request["Limit"] == 4
    assert explanation.items == 12
    chained = db.explain(Chained([Posts(shard=0), Posts(shard=1)]), limit=9)
    assert (chained.name, chained.items) == ("Chained of 2 Posts", 9)
    with pytest.raises(UsageError, match="Merged has no queries to explain"):
        db.explain(Merged([]))


def test_the_read_of_a_query_is_a_page_read(db: Repository) -> None:
    read: Any = db._reads.of(merged(Posts))
    assert [type(each) for each, _ in read.queries(Chained[Post]([merged(Posts), Posts(shard=7)]))] == [
        PageRead
    ] * 4


shard_table = Table("shards", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Visit(Entity, table=shard_table, type="VISIT"):
    visit_id: str
    page: str = "home"
    keys = Keys(primary=("VISIT#{visit_id}", "VISIT"), GSI1=("{page}#{visit_id:shard(4)}", "{visit_id}"))


class VisitsOfShard(Query[Visit]):
    page: str
    shard: int
    last: str
    key = "GSI1PK = {page}#{shard} AND GSI1SK <= {last}"


@pytest.mark.parametrize("combined", [Merged, Chained])
def test_a_list_that_lacks_shards_is_refused(combined: Any) -> None:
    home = [VisitsOfShard(page="home", shard=shard, last=f"{shard}") for shard in range(4)]
    combined(home)  # parameters of a range may differ
    other = [VisitsOfShard(page="other", shard=shard, last="9") for shard in (0, 2)]
    with pytest.raises(UsageError) as refusal:
        combined([*home, *other])
    assert str(refusal.value) == (
        f"{combined.__name__} has 2 of the 4 shards that VisitsOfShard reads; without shard = 1, 3 it would not return "
        "all items. Read all shards: reads.Merged(VisitsOfShard.shards(page=..., last=...))"
    )
