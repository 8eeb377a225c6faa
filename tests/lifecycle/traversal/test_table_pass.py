"""Passes: every item is seen once, from the last checkpoint, through all faults of DynamoDB."""

from collections import Counter
from typing import Any

import pytest

from tablewright import Clock, Design, Entity, Faults, Keys, Repository, Table, connect, errors, migrations
from tablewright.access.procedures import Procedure
from tablewright.lifecycle.integrity.fsck import check
from tablewright.lifecycle.traversal.checkpoint_records import Tally
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.table_pass import Outcome, Pass, in_threads, interleaved
from tests.lifecycle.albums import PRICES, Album, album, designed
from tests.lifecycle.stores import Store, killed_after, run_on

things = Table("things", "id")


class Thing(Entity, table=things):
    id: str
    keys = Keys(primary="{id}")


def filled(store: Store, count: int) -> Repository:
    db = store.open(Design("things", entities=[Thing]))
    for number in range(count):
        db.put(Thing(id=f"{number:04}"))
    return db


def test_every_item_is_seen_once_for_any_number_of_segments(store: Store) -> None:
    db = filled(store, 50)
    for segments in (1, 3, 7):
        seen: Counter[str] = Counter()

        def look(item: dict[str, Any], seen: Counter[str] = seen) -> Procedure[Outcome]:
            seen[item["id"]["S"]] += 1
            yield from ()
            return "same"

        one = Pass(db.context, things, look, Meter())
        concurrency = interleaved if segments == 3 else in_threads(db.connection.call, store.clock.advance)
        assert run_on(store, one.run(concurrency, segments)) == Tally(50)
        assert set(seen.values()) == {1}
        assert len(seen) == 50


def test_a_pass_continues_from_its_checkpoints(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.lifecycle.traversal.table_pass.PAGE", 5)
    db = filled(store, 40)
    seen: Counter[str] = Counter()

    def look(item: dict[str, Any]) -> Procedure[Outcome]:
        seen[item["id"]["S"]] += 1
        yield from ()
        return "changed"

    def one_pass(checkpoints: CheckpointStore) -> Procedure[Tally]:
        yield from checkpoints.create()
        state = yield from checkpoints.join("walk", "up", 2)
        assert state
        one = Pass(db.context, things, look, Meter(), checkpoints=checkpoints, state=state)
        done = yield from one.share(interleaved)
        assert done.tally
        return done.tally

    killed_after(20, one_pass(CheckpointStore(db.design, db.context)), store)
    before = sum(seen.values())
    assert 10 <= before < 40
    assert run_on(store, one_pass(CheckpointStore(db.design, db.context))) == Tally(40, 40)
    assert len(seen) == 40
    assert sum(seen.values()) - 40 <= 2 * 5  # at most the page that each segment had begun and not saved


def test_a_failure_stops_the_other_segments(store: Store) -> None:
    db = filled(store, 20)

    def fall_over(item: dict[str, Any]) -> Procedure[Outcome]:
        yield from ()
        raise errors.UsageError("no further")

    for concurrency in (interleaved, in_threads(db.connection.call, store.clock.advance)):
        with pytest.raises(errors.UsageError, match="no further"):
            run_on(store, Pass(db.context, things, fall_over, Meter()).run(concurrency))


@pytest.mark.parametrize("seed", range(5))
def test_a_migration_completes_through_all_faults(seed: int) -> None:
    clock = Clock(start=1_700_000_000)
    faults = Faults(
        seed=seed,
        throttling=0.1,
        conflicts=0.1,
        internal_errors=0.1,
        unprocessed=0.3,
        short_pages=0.5,
        stale_reads=0.5,
        staleness=5.0,
    )
    with connect(designed(PRICES), clock=clock, faults=faults) as db:
        for number in range(8):
            _until_done(db, album(number))
        (result,) = migrations.migrate(db, pause=clock.advance)
        assert result.rejects == ()
        report = check(db, pause=clock.advance)
        assert [str(finding) for finding in report.findings] == []
        assert report.seen == 24
        found = _all(db)
    assert {next(iter(item["price"])) for item in found if "_of" not in item} == {"N"}


def _until_done(db: Repository, entity: Album) -> None:
    while True:
        try:
            db.put(entity)
            return
        except (errors.OutcomeUnknown, errors.VersionConflict, errors.Contended):
            entity = entity.changed(version=1)


def _all(db: Repository) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": "music", "ConsistentRead": True}
    while True:
        try:
            page = db.connection.call("Scan", request)
        except errors.ServiceError:
            continue
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
