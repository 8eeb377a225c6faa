"""Indexes over what every item has: the keys of the table, turned or mixed with others, and the type."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import new_class
from typing import Any

import pytest

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Sparse, Table, connect, fields
from tablewright.access.repository import Repository
from tablewright.errors import DesignError

main = Table(
    "standing",
    key=("PK", "SK"),
    indexes=[
        Index("turned", "SK", "PK"),
        Index("by-type", "entityType", "createdAt"),
        Index("by-status", "SK", "statusSK"),
    ],
    discriminator="entityType",
)
EARLY, LATE = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)


class Team(Entity, table=main, type="TEAM"):
    team_id: str
    members: list[str]
    created_at: fields.Timestamp
    keys = Keys(primary=("TEAM#{team_id}", "TEAM"))
    seats = Copy(each="members", name="member", primary=("TEAM#{team_id}", "MEMBER#{member}"))


class Badge(Entity, table=main, type="BADGE"):
    owner: str
    badge: str
    status: str | None = None
    created_at: fields.Timestamp | None = None
    keys = Keys(
        primary=("OWNER#{owner}", "BADGE#{badge}"),
        indexes={"by-status": ("BADGE#{badge}", "{status}#{owner}")},
    )


class TeamsOfMember(Query[Team]):
    member: str
    key = "SK = MEMBER#{member}"


class OwnersOfBadge(Query[Badge]):
    badge: str
    index = "turned"


class TeamsByAge(Query[Team]):
    start: fields.Timestamp
    key = "entityType = TEAM AND createdAt >= {start}"


class BadgesByAge(Query[Badge]):
    index = "by-type"


class BadgesByStatus(Query[Badge]):
    badge: str
    status: str
    index = "by-status"


class BadgeById(Get[Badge]):
    owner: str
    badge: str


design = Design(
    "standing",
    entities=[Team, Badge],
    patterns=[TeamsOfMember, OwnersOfBadge, TeamsByAge, BadgesByAge, BadgesByStatus, BadgeById],
)


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design) as repository:
        yield repository


def test_the_table_is_read_the_other_way_round(db: Repository) -> None:
    db.create(Team(team_id="t", members=["ada", "bob"], created_at=EARLY))
    db.create(Badge(owner="ada", badge="gold"))
    db.create(Badge(owner="bob", badge="gold"))
    assert [team.team_id for team in db.run(TeamsOfMember(member="bob")).items] == ["t"]
    assert [badge.owner for badge in db.run(OwnersOfBadge(badge="gold")).items] == ["ada", "bob"]


def test_entities_are_listed_by_their_type(db: Repository) -> None:
    for name, moment in (("old", EARLY), ("new", LATE)):
        db.create(Team(team_id=name, members=["ada"], created_at=moment))
    db.create(Badge(owner="ada", badge="gold", created_at=EARLY))
    db.create(Badge(owner="bob", badge="gold"))
    assert [team.team_id for team in db.run(TeamsByAge(start=LATE)).items] == ["new"]
    assert [badge.owner for badge in db.run(BadgesByAge()).items] == ["ada"]


def test_an_update_touches_neither_key_nor_type(db: Repository) -> None:
    db.create(Badge(owner="ada", badge="gold", status="lost"))
    target = BadgeById(owner="ada", badge="gold")
    for values in ({"status": "found", "created_at": EARLY}, {"created_at": None}, {"status": None}):
        db.update(target, set=values)
    assert db.run(target) == Badge(owner="ada", badge="gold")
    assert db.run(BadgesByStatus(badge="gold", status="found")).items == ()
    assert db.run(BadgesByAge()).items == ()
    db.update(target, set={"status": "won"})
    assert [badge.owner for badge in db.run(BadgesByStatus(badge="gold", status="won")).items] == ["ada"]


def _define(indexes: dict[str, Any]) -> Callable[[], Any]:
    body = {
        "__annotations__": {"a": str, "is_open": bool, "created_at": fields.Timestamp},
        "__module__": __name__,
        "keys": Keys(primary=("A#{a}", "A"), indexes=indexes),
    }
    return lambda: new_class(
        "Thing", (Entity,), {"table": main, "type": "THING"}, lambda names: names.update(body)
    )


@pytest.mark.parametrize(
    ("indexes", "words"),
    [
        (
            {"by-type": ("OTHER", "{created_at}")},
            r"Thing writes its type, 'THING', as entityType, which is also the key \"OTHER\" .* template \"THING\"",
        ),
        ({"turned": ("B", "A#{a}")}, r'Thing writes SK as "A" \(primary\) and as "B" \(turned\)'),
        (
            {"turned": Sparse("A", "A#{a}", when="is_open")},
            "Thing has a Sparse key for turned, but every item has SK, PK; give the index an attribute",
        ),
    ],
)
def test_what_contradicts_the_item_is_refused(indexes: dict[str, Any], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        _define(indexes)()
