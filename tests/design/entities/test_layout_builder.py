"""The layout builder: fields, declared keys, and keys implied by attributes that every item has."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

import pytest
from pydantic import Field

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Table, connect, fields
from tablewright.access.repository import Repository
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table(
    "layouts",
    key=("PK", "SK"),
    indexes=[
        Index("inverted", "SK", "PK"),
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
    index = "inverted"


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
    "layouts",
    entities=[Team, Badge],
    patterns=[TeamsOfMember, OwnersOfBadge, TeamsByAge, BadgesByAge, BadgesByStatus, BadgeById],
)


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design) as repository:
        yield repository


def test_an_inverted_index_reads_the_table_by_its_sort_key(db: Repository) -> None:
    db.create(Team(team_id="t", members=["ada", "bob"], created_at=EARLY))
    db.create(Badge(owner="ada", badge="gold"))
    db.create(Badge(owner="bob", badge="gold"))
    assert [team.team_id for team in db.run(TeamsOfMember(member="bob")).items] == ["t"]
    assert [badge.owner for badge in db.run(OwnersOfBadge(badge="gold")).items] == ["ada", "bob"]


def test_entities_are_listed_by_type(db: Repository) -> None:
    for name, time in (("old", EARLY), ("new", LATE)):
        db.create(Team(team_id=name, members=["ada"], created_at=time))
    db.create(Badge(owner="ada", badge="gold", created_at=EARLY))
    db.create(Badge(owner="bob", badge="gold"))
    assert [team.team_id for team in db.run(TeamsByAge(start=LATE)).items] == ["new"]
    assert [badge.owner for badge in db.run(BadgesByAge()).items] == ["ada"]


def test_an_update_changes_neither_key_nor_type(db: Repository) -> None:
    db.create(Badge(owner="ada", badge="gold", status="lost"))
    target = BadgeById(owner="ada", badge="gold")
    for values in ({"status": "found", "created_at": EARLY}, {"created_at": None}, {"status": None}):
        db.update(target, set=values)
    assert db.run(target) == Badge(owner="ada", badge="gold")
    assert db.run(BadgesByStatus(badge="gold", status="found")).items == ()
    assert db.run(BadgesByAge()).items == ()
    db.update(target, set={"status": "won"})
    assert [badge.owner for badge in db.run(BadgesByStatus(badge="gold", status="won")).items] == ["ada"]


def test_indexes_are_implied_by_attributes_that_every_item_has() -> None:
    keys = {
        key.index.name: [template.text for _, template in key.parts]
        for key in Team.layout.indexes
        if key.index
    }
    assert keys == {"inverted": ["TEAM", "TEAM#{team_id}"], "by-type": ["TEAM", "{created_at}"]}


def test_a_copy_is_implied_in_an_index_by_its_key_only() -> None:
    (seats,) = Team.layout.copies
    assert [key.index.name for key in seats.indexes if key.index] == ["inverted"]


def test_the_primary_key_is_implied_by_fields_of_the_same_names() -> None:
    layout = define_entity(Table("plain", key=("userId", "noteId")), {"user_id": str, "note_id": str}).layout
    assert [(name, template.text) for name, template in layout.primary.parts] == [
        ("userId", "{user_id}"),
        ("noteId", "{note_id}"),
    ]


def test_a_missing_primary_key_is_rejected_with_an_example() -> None:
    message = r'Thing has no primary key; add keys = Keys\(primary=\("\.\.\.\{field\}" for PK, .* for SK\)\)'
    with pytest.raises(DesignError, match=message):
        define_entity(main, {"a": str})


def test_a_key_needs_a_template_for_each_attribute() -> None:
    message = "Thing gives 1 templates for primary, which has 2 key attributes: PK, SK"
    with pytest.raises(DesignError, match=message):
        define_entity(main, {"a": str}, keys=Keys(primary="A#{a}"))


def test_a_field_layout_has_the_declaration() -> None:
    annotations = {
        "a": str,
        "b_c": Annotated[int, fields.Counter()] | None,
        "code": Annotated[str, Field(min_length=3, alias="CODE")],
        "at": fields.Timestamp,
    }
    found = define_entity(main, annotations, keys=Keys(primary=("A#{a}", "A")), at=fields.now()).layout.fields
    assert (found["b_c"].stored, found["b_c"].annotation, found["b_c"].optional) == ("bC", int, True)
    assert found["b_c"].markers == (fields.Counter(),)
    assert (found["code"].stored, found["code"].limited) == ("CODE", True)
    assert (found["at"].annotation, found["at"].automatic) == (datetime, "created")
    assert not found["a"].limited
