"""The values that samples must have, so that patterns and sparse indexes have one."""

from enum import StrEnum
from typing import Any

import pytest

from tablewright import Design, Entity, Index, Keys, Query, Sparse, Table
from tablewright.design.plans.filter_text import parse_filter
from tablewright.generate.samples.coverage import PRESENT, demands, required_values


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


@pytest.mark.parametrize(
    ("filter_", "found"),
    [
        ("status = 'open' AND points > 3", {"status": "open", "points": 4}),
        ("points < 3 OR points > 9", {"points": 2}),
        ("points <> 5", {"points": 6}),
        ("status IN ('open', 'done')", {"status": "open"}),
        ("points BETWEEN 2 AND 5", {"points": 2}),
        ("attribute_not_exists(due_at)", {"due_at": None}),
        ("attribute_exists(due_at)", {"due_at": PRESENT}),
        ("points >= {least}", {"points": 10}),
        ("points >= {other}", {"points": PRESENT}),
        ("size(tags) > 2", {"tags": PRESENT}),
        ("address.city = 'Oslo'", {"address": PRESENT}),
        ("contains(tags, {other})", {"tags": PRESENT}),
    ],
)
def test_demands_of_a_filter(filter_: str, found: dict[str, Any]) -> None:
    assert dict(demands(parse_filter(filter_), {"least": 10, "other": PRESENT})) == found
