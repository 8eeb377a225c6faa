"""A design for the tests of combined reads: posts in shards, by text, number and prefixed sort keys."""

from typing import Annotated, Any

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, fields

feed = Table(
    "feed-{env}-main",
    key=("PK", "SK"),
    types={"score": "N"},
    indexes=[
        Index("by-time", "shardKey", "timeKey"),
        Index("by-score", "shardKey", "score"),
        Index("by-shard", "shardKey"),
    ],
    ttl="expiresAt",
)
scores = Table("feed-{env}-scores", key=("board", "score"), types={"score": "N"})


class Post(Entity, table=feed, type="POST"):
    post_id: str
    shard: int
    time: str
    score: int = 0
    expires_at: Annotated[int | None, fields.Ttl()] = None
    keys = Keys(
        primary=("POST#{post_id}", "POST"),
        indexes={
            "by-time": ("SHARD#{shard}", "{time}"),
            "by-score": ("SHARD#{shard}", "{score}"),
            "by-shard": ("SHARD#{shard}",),
        },
    )


class Note(Entity, table=feed, type="NOTE"):
    owner: str
    kind_name: str
    time: str
    keys = Keys(primary=("OWNER#{owner}", "{kind_name}#{time}"))


class Score(Entity, table=scores):
    board: str
    score: int


class Posts(Query[Post]):
    """Posts of a shard, oldest first."""

    shard: int
    key = "shardKey = SHARD#{shard}"
    index = "by-time"


class LatestPosts(Query[Post]):
    shard: int
    key = "shardKey = SHARD#{shard}"
    index = "by-time"
    descending = True


class ScoredPosts(Query[Post]):
    shard: int
    least: int
    key = "shardKey = SHARD#{shard}"
    index = "by-time"
    filter = "score >= {least}"


class PostsByScore(Query[Post]):
    shard: int
    key = "shardKey = SHARD#{shard}"
    index = "by-score"


class BestPosts(Query[Post]):
    shard: int
    key = "shardKey = SHARD#{shard}"
    index = "by-score"
    descending = True


class PostsInNoOrder(Query[Post]):
    shard: int
    key = "shardKey = SHARD#{shard}"
    index = "by-shard"


class NotesOfKind(Query[Note]):
    owner: str
    kind_name: str
    key = "PK = OWNER#{owner} AND begins_with(SK, '{kind_name}#')"


class NotesOf(Query[Note]):
    owner: str
    key = "PK = OWNER#{owner}"


class Scores(Query[Score]):
    board: str


class PostById(Get[Post]):
    post_id: str


class PostTimes(Query[Post]):
    shard: int
    key = "shardKey = SHARD#{shard}"
    index = "by-time"
    fields = ("time",)


def gather() -> Design:
    """The design with all entities and patterns of this module."""
    import sys

    return Design.of(sys.modules[__name__], "feed")


def pages_of(db: Any, pattern: Any, limit: int | None, **more: Any) -> list[list[Any]]:
    """All pages of a read, by their cursors."""
    pages, cursor = [], None
    while True:
        page = db.run(pattern, limit=limit, cursor=cursor, **more)
        pages.append(list(page))
        cursor = page.cursor
        if cursor is None:
            return pages
