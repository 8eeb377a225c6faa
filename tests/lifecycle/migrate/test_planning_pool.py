"""Processes that plan: they are used, and when they are killed nothing is lost."""

import logging
import os
import random
import shutil
import signal
import sys
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tablewright import Clock, Design, connect, embedded, migrations
from tablewright.lifecycle.integrity.fsck import check
from tablewright.lifecycle.migrate import planning_pool
from tablewright.lifecycle.migrate.planning_pool import PlanningPool
from tests.lifecycle.albums import AlbumById
from tests.lifecycle.migrate import planned_designs
from tests.lifecycle.migrate.planned_files import NOW, file_of_albums, filled
from tests.lifecycle.traversal.test_bulk_pages import stored

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="several processes are not supported there")


def test_the_processes_plan_and_end_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above is of two ways, not of one with itself."""
    planned: list[int] = []
    pools: list[PlanningPool] = []
    plan = PlanningPool.plan

    def counted(self: PlanningPool, *given: Any) -> Any:
        page = plan(self, *given)
        planned.append(0 if page is None else len(page.groups))
        pools.append(self)
        return page

    monkeypatch.setattr(PlanningPool, "plan", counted)
    with filled(tmp_path / "music.db", planned_designs.prices, 120) as db:
        (result,) = migrations.migrate(db, processes=2)
        assert result.tally.changed == sum(planned) == 120
        assert not check(db).findings
    processes = pools[0].processes
    assert len(processes) == 2
    assert all(process.process.returncode is not None for process in processes)


def test_pages_of_a_killed_process_are_planned_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The function kills every process but the one that writes."""
    monkeypatch.setenv("WRITER", str(os.getpid()))
    with (
        filled(tmp_path / "music.db", planned_designs.deadly, 60) as db,
        caplog.at_level(logging.WARNING, "tablewright.migrate"),
    ):
        (result,) = migrations.migrate(db, processes=2, segments=1)
        assert (result.tally.changed, result.rejects) == (60, ())
        assert not check(db).findings
    assert "has ended; its pages are planned here" in caplog.text


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))])
def test_processes_killed_at_random_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    choose = random.Random(seed)
    deaths: list[int] = []
    received = planning_pool._received

    def killing(page: Any, tables: Any) -> Any:
        if choose.random() < 0.5 and pools:
            victim = choose.choice(pools[0].processes)
            os.kill(
                victim.process.pid, signal.SIGKILL
            )  # its parent has not waited for it, so the number is its own
            deaths.append(victim.process.pid)
        return received(page, tables)

    pools: list[PlanningPool] = []
    start = PlanningPool.start

    def starting(self: PlanningPool) -> None:
        start(self)
        pools.append(self)

    monkeypatch.setattr(PlanningPool, "start", starting)
    monkeypatch.setattr(planning_pool, "_received", killing)
    with filled(tmp_path / "music.db", planned_designs.prices, 300) as db:
        (result,) = migrations.migrate(db, processes=2, segments=6)
        assert deaths
        assert (result.tally.seen, result.tally.changed) == (900, 300)
        assert not check(db).findings
        items = db.connection.call("Scan", {"TableName": "music"})["Items"]
        assert {item["version"]["N"] for item in items if "version" in item} == {"2"}


def test_no_change_of_another_writer_is_lost(tmp_path: Path) -> None:
    with filled(tmp_path / "music.db", planned_designs.prices, 400) as db:
        is_over, edits = threading.Event(), [0]

        def edit() -> None:
            choose = random.Random(7)
            while not is_over.is_set():
                db.add(AlbumById(album_id=f"{choose.randrange(400):03}"), plays=1)
                edits[0] += 1

        writer = threading.Thread(target=edit)
        writer.start()
        try:
            (result,) = migrations.migrate(db, processes=2)
        finally:
            is_over.set()
            writer.join()
        albums = [db.get_or_raise(AlbumById(album_id=f"{number:03}")) for number in range(400)]
        assert edits[0] > 0
        assert (result.tally.changed, sum(album.plays for album in albums)) == (400, edits[0])
        assert {type(album.price) for album in albums} == {Decimal}
        assert not check(db).findings


def outcome(path: Path, design: Design, processes: int, down: bool) -> list[Any]:
    """The counts, rejects and items after a run, and after its way back."""
    found: list[Any] = []
    with embedded(path, durability="relaxed", clock=Clock(start=NOW)) as connection:
        db = connect(design, connection)
        for back in (False, True) if down else (False,):
            # One segment: the order decides which of two albums gets a title, and which copies a pass sees.
            results = migrations.migrate(
                db, down=back, allow_incomplete=True, segments=1, processes=processes
            )
            for result in results:
                rejects = sorted((str(reject.key), reject.reason) for reject in result.rejects)
                found.append((result.tally.seen, result.tally.changed, rejects))
            found.append(stored(connection))
    return found


@pytest.mark.usefixtures("forked_planners")
@pytest.mark.parametrize("name", ["prices", "artists", "keys", "removals", "rewrite", "table", "followed"])
def test_random_items_have_the_same_result(tmp_path: Path, name: str) -> None:
    one = file_of_albums(tmp_path / "one.db", 1)
    other = tmp_path / "other.db"
    shutil.copy(one, other)
    design = getattr(planned_designs, name)
    down = name == "prices"
    assert outcome(other, design, 2, down) == outcome(one, design, 1, down)
