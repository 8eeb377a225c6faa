"""Integrity of keys in every order: number keys and formats have no findings, and a changed format is repaired."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright import Copy, Design, Entity, Index, Keys, Query, Sparse, Table, fields, migrations
from tablewright.lifecycle.integrity.fsck import check
from tests.lifecycle.stores import Store

main = Table(
    "scores",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("by-points", "game", "points"),
        Index("by-time", "game", "reachedAtMs"),
    ],
    types={"points": "N", "reachedAtMs": "N"},
)
START = datetime(2025, 8, 8, 10, tzinfo=UTC)


class ScoreBefore(Entity, table=main, type="SCORE"):
    player: str
    game: str = "go"
    points: Decimal
    reached_at: fields.Timestamp
    day: date
    rounds: list[int]
    keys = Keys(primary=("SCORE#{player}", "{day}"), GSI1=("GAME#{game}", "{points:08.2}#{player}"))


class Score(Entity, table=main, type="SCORE"):
    player: str
    game: str = "go"
    points: Decimal
    reached_at: fields.Timestamp
    day: date
    rounds: list[int]
    keys = Keys(
        primary=("SCORE#{player}", "{day:desc}"),
        GSI1=Sparse("GAME#{game}", "{points:+09.2 desc}#{reached_at:desc}#{player}", when="rounds"),
        indexes={"by-time": ("{game}", "{reached_at:epoch_ms}")},
    )
    by_round = Copy(
        each="rounds", name="number", primary=("ROUND#{number:04 desc}", "{reached_at:epoch_ms}#{player}")
    )


class Leaders(Query[Score]):
    key = "GSI1PK = GAME#go"


def with_new_key(item: dict[str, Any]) -> dict[str, Any]:
    key = Score.layout.primary.parts[1][1].render({"day": date.fromisoformat(item["day"])})
    return item | {"SK": key}


BEFORE = Design("scores", entities=[ScoreBefore])
AFTER = Design(
    "scores",
    entities=[Score],
    patterns=[Leaders],
    migrations=[migrations.Migration("order by day", Score, up=with_new_key)],
)


def score(kind: Any, number: int) -> Any:
    return kind(
        player=f"p{number}",
        points=Decimal(number % 3),
        reached_at=START + timedelta(seconds=number),
        day=date(2025, 1, 1 + number),
        rounds=[number, number + 10],
    )


def test_keys_in_every_order_have_no_findings(store: Store) -> None:
    db = store.open(AFTER)
    for number in range(6):
        db.create(score(Score, number))
    assert not check(db, pause=store.clock.advance).findings


def test_a_changed_order_is_migrated(store: Store) -> None:
    before = store.open(BEFORE)
    for number in range(6):
        before.create(score(ScoreBefore, number))
    db = store.open(AFTER)
    (result,) = migrations.migrate(db, pause=store.clock.advance)
    assert (result.tally.changed, list(result.rejects)) == (6, [])
    assert not check(db, pause=store.clock.advance).findings
    found = [each.player for each in db.iterate(Leaders())]
    assert found == ["p5", "p2", "p4", "p1", "p3", "p0"]


def test_an_index_key_in_the_old_order_is_repaired(store: Store) -> None:
    db = store.open(AFTER)
    db.create(score(Score, 1))
    (item,) = [item for item in store.items("scores") if "GSI1SK" in item]
    store.put("scores", item | {"GSI1SK": {"S": "00001.00#p1"}, "reachedAtMs": {"N": "1"}})
    assert [finding.kind for finding in check(db, pause=store.clock.advance).findings] == ["stale index keys"]
    check(db, repair=True, pause=store.clock.advance)
    assert item in store.items("scores")
    assert not check(db, pause=store.clock.advance).findings
