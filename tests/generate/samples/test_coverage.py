"""The values that samples must have, so that patterns and sparse indexes have one."""

from enum import StrEnum

from tablewright import Design, Entity, Index, Keys, Query, Sparse, Table
from tablewright.generate.samples.coverage import required_values
from tablewright.generate.samples.filter_demands import PRESENT


class Status(StrEnum):
    DRAFT = "DRAFT"
    ACTIVE = "ACTIVE"


main = Table("main", key="PK", indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK")])


class Post(Entity, table=main):
    post_id: str
    status: Status
    pinned: bool = False
    due: str | None = None
    closed: str | None = None
    topics: list[str] | None = None
    keys = Keys(
        primary="POST#{post_id}",
        GSI1=("STATUS#{status}", "POST#{post_id}"),
        GSI2=Sparse("DUE#{due}", when={"status": Status.DRAFT, "closed": None}),
    )


class ActivePosts(Query[Post]):
    topic: str
    pinned: bool = True
    key = "GSI1PK = STATUS#ACTIVE"
    filter = "pinned = {pinned} AND contains(topics, {topic})"


def test_constants_conditions_and_filters_are_collected() -> None:
    (active, draft) = required_values(Design("posts", entities=[Post], patterns=[ActivePosts]), Post)
    assert active == {
        "status": Status.ACTIVE,
        "post_id": PRESENT,
        "pinned": True,
        "topics": PRESENT,
    }
    assert draft == {"due": PRESENT, "status": Status.DRAFT, "closed": None}


def test_an_entity_without_patterns_needs_nothing() -> None:
    assert required_values(Design("posts"), Setting) == [{}]


class Setting(Entity, table=Table("settings", key="name")):
    name: str


def test_an_entity_stays_outside_of_a_sparse_index() -> None:
    class Draft(Entity, table=main, type="DRAFT"):
        draft_id: str
        editor: str | None = None
        keys = Keys(primary="D#{draft_id}", GSI1=Sparse("E#{editor}", "{draft_id}", when="editor"))

    inside, outside = required_values(Design("drafts", entities=[Draft]), Draft)
    assert inside["editor"] is PRESENT
    assert outside == {"editor": None}
