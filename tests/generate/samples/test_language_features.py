"""Samples, documents and diagrams of designs with base entities, chosen locks, key formats and nested filters."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel

from tablewright import Design, Entity, Get, Index, Keys, Query, Scan, Sparse, Table, connect, fields
from tablewright.dynamodb.clock import Clock
from tablewright.generate.diagrams.svg import svg
from tablewright.generate.markdown import markdown
from tablewright.generate.samples.sample_data import sample_data
from tablewright.lifecycle.integrity.fsck import check

NOW = datetime(2026, 3, 18, tzinfo=UTC)
main = Table(
    "main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")]
)


class Base(Entity):
    """Fields that all entities have."""

    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()


class Address(BaseModel):
    city: str
    floor: int


class Player(Base, table=main, type="PLAYER"):
    player_id: str = fields.new_id()
    nickname: Annotated[
        str,
        fields.Unique(key=("NICK#{nickname}", "NICK"), type="NICK", attributes={"playerId": "{player_id}"}),
    ]
    points: int
    balance: Decimal
    address: Address
    keys = Keys(
        primary=("PLAYER#{player_id}", "PROFILE"),
        GSI1=("PLAYERS", "{points:08 desc}#{created_at:desc}#{player_id}"),
        GSI2=Sparse("INITIAL#{initial}", "{player_id}", when="is_strong"),
    )

    @fields.computed("nickname")
    def initial(self) -> str:
        return self.nickname[0]

    @fields.computed("points")
    def is_strong(self) -> bool:
        return self.points > 100


class Match(Base, table=main, type="MATCH"):
    player_id: str
    played_on: date
    keys = Keys(primary=("PLAYER#{player_id}", "MATCH#{played_on:desc}"))


class PlayerById(Get[Player]):
    player_id: str


class OwnerOfNickname(Get[Player]):
    nickname: str
    key = "PK = NICK#{nickname} AND SK = NICK"


class StrongByInitial(Query[Player]):
    initial: str
    key = "GSI2PK = INITIAL#{initial}"


class Leaders(Query[Player]):
    points: int
    key = "GSI1PK = PLAYERS AND GSI1SK < {points:08 desc}"


class MatchesSince(Query[Match]):
    player_id: str
    since: date
    key = "PK = PLAYER#{player_id} AND SK BETWEEN MATCH# AND MATCH#{since:desc}"


class PlayersIn(Scan[Player]):
    city: str
    filter = "address.city = {city}"


class StrongPlayers(Scan[Player]):
    least: int
    filter = (Player.points > fields.parameter("least")) & (Player.balance >= Decimal("5000"))


class NewPlayers(Scan[Player]):
    filter = "points = 7 AND balance BETWEEN 1 AND 3"


DESIGN = Design(
    "game",
    entities=[Player, Match],
    patterns=[
        PlayerById,
        OwnerOfNickname,
        Leaders,
        StrongByInitial,
        MatchesSince,
        PlayersIn,
        StrongPlayers,
        NewPlayers,
    ],
)


def test_every_pattern_finds_a_sample() -> None:
    made = sample_data(DESIGN, 12, now=NOW)
    assert {request.plan.name: request.problem for request in made.requests if request.request is None} == {}
    with connect(DESIGN, clock=Clock(NOW)) as db:
        made.write(db)
        assert [str(finding) for finding in check(db).findings] == []


def test_documents_show_locks_and_inherited_fields() -> None:
    text = markdown(DESIGN).replace("\\", "")
    assert "| `lock of nickname` | PK = NICK#{nickname}, SK = NICK | always |" in text
    assert "| `updated_at` | updatedAt | datetime | set on every write |" in text
    assert "INITIAL#{initial}, GSI2SK = {player_id} | is_strong is true |" in text
    assert "lock of nickname" in svg(DESIGN, main)
