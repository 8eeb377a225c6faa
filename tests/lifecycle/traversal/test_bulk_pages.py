"""Work on whole pages of an embedded database has the same result as work on single items."""

import os
import random
import signal
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tablewright import Clock, Connection, Repository, connect, embedded, errors, migrations
from tablewright.lifecycle.integrity.fsck import check
from tablewright.lifecycle.traversal.bulk_pages import BulkPages
from tests import forked_processes
from tests.lifecycle.albums import (
    Album,
    AlbumById,
    album,
    designed,
    main,
    price_as_number,
    price_as_text,
    tidy_artist,
)
from tests.lifecycle.migrate.planned_designs import (
    Fields,
    as_the_first,
    labelled,
    renumbered,
    without_cheap_ones,
)


class ItemByItem:
    """A connection that does not show that it is embedded, so that items are written one by one."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.clock = connection.clock

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply

    def close(self) -> None:
        pass


CHANGES: dict[str, tuple[Any, Any, Any]] = {
    "prices": (Album, price_as_number, price_as_text),
    "artists": (Album, tidy_artist, None),
    "keys": (Album, renumbered, None),
    "removals": (Album, without_cheap_ones, None),
    "rewrite": (Album, None, None),
    "lookups": (Album, as_the_first, None),
    "table": (main, labelled, None),
}


def random_albums(seed: int) -> Any:
    """A database with albums in many states: colliding titles, missing and wrong copies and locks, other items."""
    choose = random.Random(seed)
    connection = embedded(clock=Clock(start=4_000_000_000.0))
    db = connect(designed(), connection, create=True)
    for number in range(60):
        title = choose.choice([f"No {number}", f" No {choose.randrange(60)}", f"No {number} "])
        price = choose.choice([f"{number}.50", "dear", None, Decimal(number)])
        made = album(number, title=title, artist=choose.choice(["nico ", "Nico", "lou"]), price=price)
        try:
            db.create(made)
        except errors.UniqueViolation:
            continue
    for item in connection.call("Scan", {"TableName": "music"})["Items"]:
        key = {"PK": item["PK"], "SK": item["SK"]}
        if "_of" in item and choose.random() < 0.2:
            connection.call("DeleteItem", {"TableName": "music", "Key": key})
        elif choose.random() < 0.1:
            connection.call("PutItem", {"TableName": "music", "Item": item | {"odd": {"B": b"\x00\xff"}}})
        elif "_of" not in item and choose.random() < 0.1:
            wrong = choose.choice([{"plays": {"S": "many"}}, {"GSI1PK": {"S": "ARTIST#?"}}])
            connection.call("PutItem", {"TableName": "music", "Item": item | wrong})
    note = {"PK": {"S": "ALBUM#1"}, "SK": {"S": "ALBUM"}, "type": {"S": "NOTE"}}
    connection.call("PutItem", {"TableName": "music", "Item": note})
    return connection


def migrated(connection: Connection, listed: tuple[migrations.Migration, ...], down: bool) -> Any:
    """The counts, rejects and items after a run, and after its way back."""
    db = connect(designed(*listed), connection)
    found: list[Any] = []
    for back in (False, True) if down else (False,):
        results = migrations.migrate(db, down=back, segments=1, workers=1, allow_incomplete=True)
        for result in results:
            rejects = sorted((str(reject.key), reject.reason) for reject in result.rejects)
            found.append((result.tally.seen, result.tally.changed, rejects))
        found.append(stored(connection))
    return found


def stored(connection: Connection) -> list[str]:
    items = connection.call("Scan", {"TableName": "music", "ConsistentRead": True})["Items"]
    return sorted(str(sorted(item.items())) for item in items)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("seed", range(4))
def test_random_items_have_the_same_result(name: str, seed: int) -> None:
    of, up, down = CHANGES[name]
    listed = (migrations.Migration(name, of, up, down),)
    with random_albums(seed) as one, one.copy(clock=Clock(start=4_000_000_000.0)) as other:
        single = migrated(ItemByItem(one), listed, down is not None)
        bulk = migrated(other, listed, down is not None)
    assert bulk == single


def test_pages_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above is of two ways, not of one with itself."""
    pages: list[int] = []
    write = BulkPages.write

    def counted(self: BulkPages, groups: Any, first: Any = None) -> Any:
        pages.append(len(groups))
        return write(self, groups, first)

    monkeypatch.setattr(BulkPages, "write", counted)
    with random_albums(1) as connection:
        listed = (migrations.Migration("prices", Album, price_as_number),)
        migrated(ItemByItem(connection), listed, False)
        assert not pages
        connect(designed(*listed), connection)
        migrated(connection, (migrations.Migration("artists", Album, tidy_artist),), False)
    assert sum(pages) > 10


def filled(connection: Connection, count: int) -> Repository:
    db = connect(designed(migrations.Migration("prices", Album, price_as_number)), connection, create=True)
    for number in range(count):
        db.create(album(number))
    return db


def test_items_that_others_write_in_the_old_format_are_converted() -> None:
    with embedded() as connection:
        db = filled(connection, 30)
        late = [album(number) for number in range(100, 105)]

        def straggle(progress: migrations.MigrationProgress) -> None:
            if late:
                db.create(late.pop())
                db.update(AlbumById(album_id="003"), set={"price": "77"})

        (result,) = migrations.migrate(db, on_progress=straggle)
        assert not late
        kinds = {
            kind
            for item in connection.call("Scan", {"TableName": "music"})["Items"]
            for kind in item.get("price", {})
        }
        assert kinds == {"N"}
        assert result.tally.seen == 35 * 3
        assert not check(db).findings


def test_items_that_change_between_planning_and_writing_are_converted_as_they_are_now() -> None:
    with embedded() as connection:
        db = filled(connection, 10)
        edited: set[str] = set()

        def edit_first(item: Fields) -> Fields | None:
            if item["albumId"] not in edited:
                edited.add(item["albumId"])
                db.update(AlbumById(album_id=item["albumId"]), set={"price": "99.25"}, add={"plays": 1})
            return price_as_number(item)

        racing = connect(designed(migrations.Migration("racing", Album, edit_first)), connection)
        (result,) = migrations.migrate(racing)
        assert (result.tally.changed, len(edited)) == (10, 10)
        for number in range(10):
            found = db.get_or_raise(AlbumById(album_id=f"{number:03}"))
            assert (found.price, found.plays) == (Decimal("99.25"), 1)


def test_other_writers_get_their_turn_between_pages(tmp_path: Path) -> None:
    """Other writers get their turn between two commits of the migration: many of them, not one at its end."""
    with embedded(tmp_path / "music.db", durability="relaxed") as connection:
        db = filled(connection, 600)
        writes: list[float] = []
        is_over = threading.Event()

        def write() -> None:
            while not is_over.is_set():
                db.add(AlbumById(album_id="000"), plays=1)
                writes.append(time.perf_counter())

        writer = threading.Thread(target=write)
        writer.start()
        began = time.perf_counter()
        migrations.migrate(db)
        ended = time.perf_counter()
        is_over.set()
        writer.join()
        during = [at for at in writes if began <= at <= ended]
        assert len(during) >= 4, "the writer had to wait for the whole migration"
        assert db.get_or_raise(AlbumById(album_id="000")).plays == len(writes)


DYING = """
import os, signal, sys
from tablewright import connect, embedded, migrations
from tests.lifecycle.albums import Album, designed, price_as_number

left = int(sys.argv[2])

def dying(item):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return price_as_number(item)

with embedded(sys.argv[1]) as connection:
    db = connect(designed(migrations.Migration("prices", Album, dying)), connection)
    migrations.migrate(db)
    print("ended with", left)
"""


def test_a_run_on_a_file_that_is_killed_continues(tmp_path: Path) -> None:
    path = tmp_path / "music.db"
    with embedded(path, durability="relaxed") as connection:
        filled(connection, 900)
    deaths = 0
    while True:
        run = forked_processes.run(
            [sys.executable, "-c", DYING, str(path), str(400 + 300 * deaths)],
            env={**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{Path.cwd()}"},
        )
        if run.returncode != -signal.SIGKILL:
            break
        deaths += 1
        with embedded(path) as connection:
            db = connect(designed(migrations.Migration("prices", Album, price_as_number)), connection)
            assert [each.status for each in migrations.status(db)] == ["interrupted"]
    assert run.returncode == 0, run.stderr
    assert deaths >= 2
    with embedded(path) as connection:
        db = connect(designed(migrations.Migration("prices", Album, price_as_number)), connection)
        (status,) = migrations.status(db)
        assert (status.status, status.state and status.state.tally.changed) == ("applied", 900)
        assert not check(db).findings
        items = connection.call("Scan", {"TableName": "music"})["Items"]
        assert {item["version"]["N"] for item in items if "version" in item} == {"2"}
