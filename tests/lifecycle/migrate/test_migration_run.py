"""Migrations: each runs once, in order, and backwards, through crashes and concurrent writes."""

import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tablewright import Design, Entity, Keys, Repository, Table, errors, migrations
from tablewright.lifecycle.traversal.checkpoint_records import Tally
from tablewright.lifecycle.traversal.checkpoints import LEASE
from tests.lifecycle.albums import (
    ARTISTS,
    PRICES,
    Album,
    AlbumById,
    ByArtist,
    album,
    designed,
    main,
    main_items,
    price_as_number,
    stored,
)
from tests.lifecycle.stores import Killed, Mortal, Store, writers

Fields = dict[str, Any]


def opened(store: Store, *listed: migrations.Migration, albums: int = 20) -> Repository:
    db = store.open(designed(*listed))
    for number in range(albums):
        db.put(album(number))
    return db


def run(store: Store, db: Repository, **options: Any) -> list[migrations.Result]:
    return migrations.migrate(db, pause=store.clock.advance, **options)


def shown(db: Repository) -> list[tuple[str, str]]:
    return [(each.name, each.status) for each in migrations.status(db)]


def kinds(store: Store) -> set[str]:
    return {kind for item in main_items(store) for kind in item["price"]}


def test_each_migration_is_applied_and_reverted_once(store: Store) -> None:
    db = opened(store, PRICES, ARTISTS)
    assert shown(db) == [("1-prices", "pending"), ("2-artists", "pending")]
    assert [result.tally for result in run(store, db)] == [Tally(60, 20, 0), Tally(60, 0, 0)]
    assert kinds(store) == {"N"}
    assert run(store, db) == []
    assert shown(db) == [("1-prices", "applied"), ("2-artists", "applied")]
    with pytest.raises(errors.MigrationError, match="2-artists has no down function"):
        run(store, db, down=True, to="1-prices")
    assert run(store, opened(store, PRICES, albums=0), down=True)[0].tally.changed == 20
    assert kinds(store) == {"S"}
    assert shown(db) == [("1-prices", "reverted"), ("2-artists", "applied")]
    assert [result.migration.name for result in run(store, db)] == ["1-prices"]
    assert kinds(store) == {"N"}


def test_to_names_the_last_migration(store: Store) -> None:
    db = opened(store, PRICES, ARTISTS, albums=1)
    assert [result.migration for result in run(store, db, to="1-prices")] == [PRICES]
    with pytest.raises(errors.MigrationError, match="has no migration 3; it has: 1-prices, 2-artists"):
        run(store, db, to="3")


def test_a_dry_run_counts_and_writes_nothing(store: Store) -> None:
    db = opened(store, PRICES, albums=3)
    db.put(album(3, price="dear"))
    before = stored(store)
    (result,) = run(store, db, dry_run=True)
    assert result.tally == Tally(12, 3, 1)
    assert [reject.reason for reject in result.rejects] == ["price: 'dear' is no number"]
    assert stored(store) == before
    assert shown(db) == [("1-prices", "pending")]
    assert f"{store.prefix}music-migrations" not in store.connection.call("ListTables", {})["TableNames"]


def test_rejected_items_are_listed_and_can_be_retried(store: Store) -> None:
    db = opened(store, PRICES, albums=3)
    for number, price in ((3, "dear"), (4, "cheap"), (5, "free")):
        db.put(album(number, price=price))
    (result,) = run(store, db)
    assert result.tally == Tally(18, 3, 3)
    assert shown(db) == [("1-prices", "incomplete")]
    db.update(AlbumById(album_id="003"), set={"price": "12"})
    db.delete(AlbumById(album_id="004"))
    assert len(migrations.rejects(db)["1-prices"]) == 3
    (left,) = migrations.retry(db)["1-prices"]
    assert shown(db) == [("1-prices", "incomplete")]
    assert (left.key["PK"], left.reason) == ({"S": "ALBUM#005"}, "price: 'free' is no number")
    assert migrations.rejects(db) == {"1-prices": [left]}
    assert stored(store)["ALBUM#003/ALBUM"]["price"] == {"N": "12"}


def test_index_keys_copies_and_locks_follow(store: Store) -> None:
    db = opened(store, ARTISTS, albums=0)
    for number in range(3):
        db.put(album(number, artist=" nico ", title=f" T{number}"))
    run(store, db)
    after = stored(store)
    for number in range(3):
        db.delete(AlbumById(album_id=f"{number:03}"))
        db.put(album(number, artist="Nico", title=f"T{number}"))
    fresh = stored(store)
    for item in (*after.values(), *fresh.values()):
        item.pop("version", None)
    assert after == fresh
    assert {found.title for found in db.all(ByArtist(artist="Nico"))} == {"T0", "T1", "T2"}


def test_two_entities_with_one_unique_value_are_both_kept(store: Store) -> None:
    db = opened(store, ARTISTS, albums=0)
    db.put(album(1, title="Chelsea Girl"))
    db.put(album(2, title="Chelsea Girl "))
    before = stored(store)
    (result,) = run(store, db)
    assert result.tally == Tally(6, 0, 1)
    (reject,) = result.rejects
    assert reject.key["PK"] == {"S": "ALBUM#002"}
    assert "cannot have title = 'Chelsea Girl': another Album has it (PK = 'ALBUM#001'" in reject.reason
    assert stored(store) == before


@pytest.mark.parametrize("step", [3, 7])
def test_a_run_that_is_killed_repeatedly_continues(store: Store, step: int) -> None:
    opened(store, PRICES, albums=12)
    deaths = 0
    while True:
        mortal = Mortal(store.connection, 14 + step * deaths)
        dying = Store(mortal, store.prefix, store.clock).open(designed(PRICES))
        try:
            migrations.migrate(dying, pause=store.clock.advance, segments=2)
            break
        except Killed:
            deaths += 1
    assert deaths >= 2
    assert kinds(store) == {"N"}
    after = store.open(designed(PRICES))  # the last connection may have no calls left
    assert shown(after) == [("1-prices", "applied")]
    (standing,) = migrations.status(after)
    assert standing.state
    assert (standing.state.tally.seen, standing.state.tally.rejected) == (36, 0)


def test_a_run_takes_over_after_the_lease_of_a_silent_runner(store: Store) -> None:
    opened(store, PRICES, albums=4)
    dying = Store(Mortal(store.connection, 18), store.prefix, store.clock).open(designed(PRICES))
    with pytest.raises(Killed):
        migrations.migrate(dying, pause=store.clock.advance)
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        store.clock.advance(seconds)

    db = store.open(designed(PRICES))
    assert shown(db) == [("1-prices", "under way")]
    migrations.migrate(db, pause=wait)
    assert LEASE - 2 <= sum(waited) <= LEASE + 2
    assert shown(db) == [("1-prices", "applied")]


def test_a_second_run_waits_for_the_segments_of_the_first(store: Store) -> None:
    db = opened(store, PRICES)
    has_begun, has_waited = threading.Event(), threading.Event()
    results: list[migrations.Result] = []

    def wait_for_the_second(item: Fields) -> Fields | None:
        has_begun.set()
        assert has_waited.wait(60)
        return price_as_number(item)

    def run_slowly() -> None:
        slowly = migrations.Migration("1-prices", Album, wait_for_the_second)
        db = store.open(designed(slowly))
        results.extend(migrations.migrate(db, pause=store.clock.advance, segments=1))

    first = threading.Thread(target=run_slowly)
    first.start()
    assert has_begun.wait(60)
    (second,) = migrations.migrate(store.open(designed(PRICES)), pause=lambda seconds: has_waited.set())
    first.join()
    assert (results[0].tally, second.tally) == (Tally(60, 20, 0), Tally(60, 20, 0))
    assert True in (results[0].ran_here, second.ran_here)
    assert shown(db) == [("1-prices", "applied")]


def test_a_second_run_shares_the_segments_of_the_first(store: Store) -> None:
    """The first run is stopped in one segment until the second has finished all others."""
    db = opened(store, PRICES)
    is_held, has_shared = threading.Event(), threading.Event()
    results: list[migrations.Result] = []

    def hold(item: Fields) -> Fields | None:
        made = price_as_number(item)
        if made is not None and not is_held.is_set():
            is_held.set()
            assert has_shared.wait(60)
        return made

    def run_first() -> None:
        holding = migrations.Migration("1-prices", Album, hold)
        db = store.open(designed(holding))
        results.extend(migrations.migrate(db, pause=store.clock.advance, segments=8, workers=1))

    first = threading.Thread(target=run_first)
    first.start()
    assert is_held.wait(60)
    (second,) = migrations.migrate(db, pause=lambda seconds: has_shared.set())
    first.join()
    assert has_shared.is_set()
    assert (results[0].ran_here, second.ran_here) == (True, True)
    assert results[0].tally == second.tally == Tally(60, 20, 0)
    assert {item["version"]["N"] for item in main_items(store)} == {"2"}, "each item was written once"


def test_a_runner_that_lost_its_lease_leaves_the_segment_to_the_other(store: Store) -> None:
    db = opened(store, PRICES, albums=3)
    other = store.open(designed(PRICES))
    taken: list[migrations.Result] = []

    def slow(item: Fields) -> Fields | None:
        if not taken:
            store.clock.advance(LEASE + 1)
            taken.extend(migrations.migrate(other, pause=store.clock.advance))
        return price_as_number(item)

    slowly = migrations.Migration("1-prices", Album, slow)
    (result,) = migrations.migrate(store.open(designed(slowly)), pause=store.clock.advance, segments=1)
    assert taken[0].tally == result.tally == Tally(9, 3, 0)
    assert shown(db) == [("1-prices", "applied")]
    assert {item["version"]["N"] for item in main_items(store)} == {"2"}


def test_edits_between_reading_and_writing_are_not_lost(store: Store) -> None:
    edited: set[str] = set()

    def edit_first(item: Fields) -> Fields | None:
        album_id = item["albumId"]
        if album_id not in edited:
            edited.add(album_id)
            db.update(AlbumById(album_id=album_id), set={"price": "99.25"}, add={"plays": 1})
        return price_as_number(item)

    db = opened(store, migrations.Migration("1-prices", Album, edit_first), albums=8)
    (result,) = run(store, db)
    assert len(edited) == 8
    assert (result.tally.changed, result.rejects) == (8, ())
    for number in range(8):
        found = db.run(AlbumById(album_id=f"{number:03}"))
        assert found
        assert (found.plays, found.price) == (1, Decimal("99.25"))


def test_edits_by_other_threads_are_not_lost(store: Store) -> None:
    db = opened(store, PRICES, albums=8)
    plays = [0] * 8

    def play(number: int) -> None:
        db.add(AlbumById(album_id=f"{number % 8:03}"), plays=1)
        plays[number % 8] += 1

    with writers(play) as concurrent:
        (result,) = run(store, db, on_progress=lambda progress: concurrent.wait_for(8))
    assert (result.tally.changed, result.rejects) == (8, ())
    assert kinds(store) == {"N"}
    for number in range(8):
        found = db.run(AlbumById(album_id=f"{number:03}"))
        assert found
        assert found.plays == plays[number]


def test_items_written_in_the_old_format_are_converted_by_the_next_pass(store: Store) -> None:
    db = opened(store, PRICES, albums=4)
    late = [album(number, price="1") for number in (10, 11)]

    def straggle(progress: migrations.MigrationProgress) -> None:
        if late and progress.tally.seen == 12:
            db.put(late.pop())

    (result,) = run(store, db, on_progress=straggle)
    assert result.tally.changed >= 5
    assert kinds(store) == {"N"}


def test_a_client_that_keeps_writing_the_old_format_ends_the_run(store: Store) -> None:
    db = opened(store, PRICES, albums=1)

    def stubborn(progress: migrations.MigrationProgress) -> None:
        if not progress.tally.seen:
            db.update(AlbumById(album_id="000"), set={"price": "1"})

    with pytest.raises(errors.MigrationError, match="items in the old format are still being written"):
        run(store, db, on_progress=stubborn)
    assert shown(db) == [("1-prices", "interrupted")]
    assert run(store, db)[0].tally.rejected == 0


def test_a_function_that_changes_converted_items_is_rejected(store: Store) -> None:
    def double_price(item: Fields) -> Fields:
        return item | {"price": Decimal(item["price"]) * 2}

    db = opened(store, migrations.Migration("double", Album, double_price), albums=2)
    before = stored(store)
    with pytest.raises(errors.MigrationError, match="changes an item again that it has already changed"):
        run(store, db)
    assert stored(store) == before


def test_the_rate_limits_the_run(store: Store) -> None:
    db = opened(store, PRICES, albums=10)
    store.clock.freeze()
    began = store.clock.now()
    migrations.migrate(db, rate=5, segments=1, pause=store.clock.advance)
    # Each of the ten takes two writes in a transaction's price, at least, and there are two passes.
    assert store.clock.now() - began > 10 * 2 / 5


def test_progress_has_the_pass_and_the_consumed_capacity(store: Store) -> None:
    db = opened(store, PRICES, albums=10)
    reports: list[migrations.MigrationProgress] = []
    run(store, db, on_progress=reports.append, segments=1)
    assert [report.pass_number for report in reports] == sorted(report.pass_number for report in reports)
    assert {report.pass_number for report in reports} == {1, 2}
    assert (reports[0].units, reports[0].tally) == (0, Tally())
    assert reports[-1].units >= 10
    assert (reports[-1].migration, reports[-1].direction, reports[-1].tally) == (PRICES, "up", Tally(30))


def test_a_migration_increases_the_version(store: Store) -> None:
    db = opened(store, PRICES, albums=1)
    stale = db.run(AlbumById(album_id="000"))
    assert stale
    run(store, db)
    with pytest.raises(errors.VersionConflict):
        db.put(stale)


def test_a_migration_of_a_table_converts_stored_items(store: Store) -> None:
    def labelled(item: Fields) -> Fields | migrations.Removal:
        return migrations.DELETE if "_of" in item else item | {"label": "Verve"}

    db = opened(store, migrations.Migration("labels", main, labelled), albums=3)
    (result,) = run(store, db)
    assert result.tally == Tally(3, 9, 0)
    assert [item["label"] for item in store.items("music")] == [{"S": "Verve"}] * 3


def test_deleted_items_are_deleted_with_their_dependents(store: Store) -> None:
    def cheap_ones_go(item: Fields) -> Fields | migrations.Removal:
        return migrations.DELETE if item["price"] < "2" else item

    db = opened(store, migrations.Migration("cheap", Album, cheap_ones_go), albums=3)
    run(store, db)
    assert stored(store).keys() == {"ALBUM#002/ALBUM", "SHELF#Nico/ALBUM#002", "_lock#ALBUM#title#No 2/_lock"}


def test_moved_items_are_moved_with_their_dependents(store: Store) -> None:
    def numbered(item: Fields) -> Fields:
        number = item["albumId"].lstrip("0") or "0"
        return item | {"albumId": number, "PK": f"ALBUM#{number}"}

    db = opened(store, migrations.Migration("numbers", Album, numbered), albums=2)
    run(store, db)
    after = stored(store)
    assert after["ALBUM#1/ALBUM"]["GSI1SK"] == {"S": "No 1#1"}
    assert after.keys() == {
        f"{place}"
        for number in (0, 1)
        for place in (
            f"ALBUM#{number}/ALBUM",
            f"SHELF#Nico/ALBUM#{number}",
            f"_lock#ALBUM#title#No {number}/_lock",
        )
    }
    assert {tuple(item["_of"]["M"]["PK"].values()) for item in after.values() if "_of" in item} == {
        ("ALBUM#0",),
        ("ALBUM#1",),
    }


def test_looked_up_entities_must_not_change(store: Store) -> None:
    raced: list[Callable[[], Any]] = []

    def after_the_first(item: Fields, view: migrations.View) -> Fields | None:
        if item["albumId"] == "000":
            return None
        first = view.find(Album, album_id="000")
        if raced:
            raced.pop()()
        return None if first is None else item | {"artist": first["artist"]}

    db = opened(store, migrations.Migration("artists", Album, after_the_first), albums=1)
    for number in (1, 2):
        db.put(album(number, artist="unknown"))
    raced.append(lambda: db.update(AlbumById(album_id="000"), set={"artist": "Lou"}))
    run(store, db)
    assert {item["artist"]["S"] for item in main_items(store)} == {"Lou"}


def test_a_migration_without_up_stores_upcast_items(store: Store) -> None:
    table = Table("music", ("PK", "SK"))

    def split(item: Fields) -> Fields:
        first, _, last = item.pop("name").partition(" ")
        return item | {"first": first, "last": last}

    class Singer(Entity, table=table, type="SINGER", schema_version=2, upcasts={1: split}):
        singer_id: str
        first: str
        last: str
        keys = Keys(primary=("SINGER#{singer_id}", "SINGER"))

    rest = migrations.Migration("names", Singer)
    db = store.open(Design("music", entities=[Singer], migrations=[rest]))
    key = {"PK": {"S": "SINGER#1"}, "SK": {"S": "SINGER"}, "type": {"S": "SINGER"}, "singerId": {"S": "1"}}
    store.put("music", {**key, "name": {"S": "Nina Simone"}})
    (result,) = run(store, db)
    assert result.tally == Tally(1, 1, 0)
    (item,) = store.items("music")
    assert item == {**key, "first": {"S": "Nina"}, "last": {"S": "Simone"}, "schemaVersion": {"N": "2"}}


def test_items_that_the_class_does_not_accept_are_rejected(store: Store) -> None:
    db = opened(store, migrations.Migration("x", Album, lambda item: item | {"plays": "many"}), albums=1)
    (result,) = run(store, db)
    assert result.rejects[0].reason.startswith("is not a valid Album: plays must be ")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Design("x", migrations=[PRICES, PRICES]), "two migrations have the name 1-prices"),
        (lambda: Design("x", migrations="no.such").migrations, "cannot be imported"),
    ],
)
def test_invalid_migrations_of_a_design_are_rejected(made: Callable[[], Any], message: str) -> None:
    with pytest.raises(errors.DesignError, match=message):
        made()
