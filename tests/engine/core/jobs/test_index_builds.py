"""Index builds: statuses, concurrent writes, cancellation, and builds that continue after a kill."""

import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs import index_builds, row_sorter
from tablewright.engine.core.jobs.job_runner import Job, Jobs
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.database import Database
from tablewright.engine.features.faults.injector import Faults
from tablewright.engine.storage import Transaction, open_store
from tablewright.errors import LimitExceeded, ResourceInUse, ValidationError
from tests.engine.integrity import assert_indexes_match
from tests.engine.table_cases import index_of, request_of
from tests.forked_processes import ForkedProcess

ROOT = Path(__file__).parents[4]
MUSIC = {"TableName": "music"}
ITEMS = 60
DELETE = {**MUSIC, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-year"}}]}


def create_request(name: str = "by-year") -> dict[str, Any]:
    return {
        **MUSIC,
        "AttributeDefinitions": [{"AttributeName": "year", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": index_of(name, "year")}],
    }


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of seven rows, and a saved place after three batches, on a slow machine too."""
    monkeypatch.setattr(row_batches, "MAX_ROWS", 7)
    monkeypatch.setattr(index_builds, "SAVED_BATCHES", 3)
    monkeypatch.setattr(row_batches, "MAX_SECONDS", 60.0)


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    path = None if request.param == "memory" else tmp_path / "music.db"
    database = Database(open_store(path, "relaxed"))
    fill(database)
    yield database
    database.close()


def fill(db: Database, items: int = ITEMS) -> None:
    db.call("CreateTable", request_of("music", "artist | artist:S"))
    for number in range(items):
        put(db, number, "1970")


def put(db: Database, number: int, year: str) -> None:
    item = {"artist": {"S": f"artist {number}"}, "year": {"S": year}}
    db.call("PutItem", {**MUSIC, "Item": item})


def delete(db: Database, number: int) -> None:
    db.call("DeleteItem", {**MUSIC, "Key": {"artist": {"S": f"artist {number}"}}})


def describe(db: Database) -> dict[str, Any]:
    return db.call("DescribeTable", MUSIC)["Table"]  # type: ignore[no-any-return]


def between_steps(monkeypatch: pytest.MonkeyPatch, action: Callable[[], None]) -> None:
    """Run the action after each transaction of a job."""
    write = Job.write

    def write_and_act(job: Job, work: Callable[[Writing], Any]) -> Any:
        result = write(job, work)
        action()
        return result

    monkeypatch.setattr(Job, "write", write_and_act)


def assert_complete(db: Database) -> None:
    """The index has the rows of the table, and the counts are right."""
    shown = describe(db)
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"]) == ("ACTIVE", "ACTIVE")
    assert "Backfilling" not in index
    assert_indexes_match(db)
    (compiled,) = db.state.catalog.table("music").indexes
    counted = db.state.store.read(lambda rows: rows.totals(compiled.space))
    assert (index["ItemCount"], index["IndexSizeBytes"]) == counted


def test_a_small_table_has_its_index_when_update_table_returns(db: Database) -> None:
    for number in range(7, ITEMS):
        delete(db, number)
    shown = db.call("UpdateTable", create_request())["TableDescription"]
    assert shown["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    assert_complete(db)


def test_an_embedded_database_waits_for_a_short_build(db: Database) -> None:
    db.call("UpdateTable", create_request())
    assert_complete(db)


def test_no_step_writes_more_rows_than_a_batch(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    between_steps(monkeypatch, lambda: counts.append(index_count(db)))
    db.call("UpdateTable", create_request())
    steps = [after - before for before, after in zip([7, *counts], counts, strict=False)]
    assert len(steps) > ITEMS // 7
    assert max(steps) <= 7


def test_in_a_file_the_rows_are_written_in_the_order_of_the_index(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(ITEMS):
        put(db, number, f"{1970 + number * 7 % ITEMS}")
    written = written_keys(monkeypatch)
    monkeypatch.setattr(row_sorter, "RUN_BYTES", 2000)
    db.call("UpdateTable", create_request())
    db.jobs.wait_for_all()
    assert len(written) == ITEMS - 7, "seven rows were written with the definition"
    assert (written == sorted(written)) == (db.state.store.path is not None)


def written_keys(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The keys of the rows that jobs write from now on."""
    written: list[bytes] = []
    write_row = Transaction.put

    def record(rows: Transaction, space: int, key: bytes, item: StoredItem) -> None:
        if threading.current_thread() is not threading.main_thread() and b'"artist ' in item.raw:
            written.append(key)
        write_row(rows, space, key, item)

    monkeypatch.setattr(Transaction, "put", record)
    return written


def test_a_build_continues_from_its_saved_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers change items on both sides of the place before the file is opened again."""
    path = tmp_path / "music.db"
    db = Database(open_store(path, "relaxed"))
    fill(db)
    for number in range(ITEMS):
        put(db, number, f"{1970 + number * 7 % ITEMS}")
    save_place = index_builds._save_place
    places: list[bytes] = []

    def save_and_stop(tx: Writing, job: Job, place: bytes) -> bool:
        places.append(place)
        db.jobs._stopping.set()
        return save_place(tx, job, place)

    with monkeypatch.context() as stopped:
        stopped.setattr(index_builds, "_save_place", save_and_stop)
        db.call("UpdateTable", create_request())
        db.jobs.wait_for_all()
    assert index_count(db) < ITEMS
    db.close()
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db = Database(open_store(path, "relaxed"))
        for number in range(0, ITEMS, 7):
            put(db, number, f"{1970 + number * 11 % ITEMS}")
        delete(db, 5)
        put(db, 1000, "1971")
    written = written_keys(monkeypatch)
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert_complete(db)
    assert 0 < len(written) < ITEMS - 7
    assert min(written) >= places[0]
    db.close()


def index_count(db: Database) -> int:
    (index,) = db.state.catalog.table("music").indexes
    return db.state.store.read(lambda rows: rows.totals(index.space))[0]


def test_an_index_in_creation_is_shown_and_cannot_be_read(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Jobs, "wake", lambda self: None)
    shown = db.call("UpdateTable", create_request())["TableDescription"]
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"], index["Backfilling"]) == (
        "UPDATING",
        "CREATING",
        False,
    )
    shown = describe(db)
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"], index["Backfilling"]) == (
        "UPDATING",
        "CREATING",
        True,
    )
    query: dict[str, Any] = {
        **MUSIC,
        "IndexName": "by-year",
        "KeyConditionExpression": "#y = :y",
        "ExpressionAttributeNames": {"#y": "year"},
        "ExpressionAttributeValues": {":y": {"S": "1970"}},
    }
    message = "Cannot read from backfilling global secondary index: by-year"
    for operation, request in [
        ("Query", query),
        ("Scan", {**MUSIC, "IndexName": "by-year"}),
        ("ExecuteStatement", {"Statement": 'SELECT * FROM music."by-year"'}),
    ]:
        with pytest.raises(ValidationError, match=f"^{message}$"):
            db.call(operation, request)
    assert len(db.call("Scan", MUSIC)["Items"]) == ITEMS
    with pytest.raises(ValidationError, match="Type mismatch for Index Key year"):
        db.call("PutItem", {**MUSIC, "Item": {"artist": {"S": "x"}, "year": {"N": "1"}}})


def test_other_changes_of_the_table_during_a_build(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("UpdateTable", create_request())
        with pytest.raises(LimitExceeded, match="Only 1 online index can be created or deleted simultan"):
            db.call("UpdateTable", create_request("another"))
        with pytest.raises(LimitExceeded, match="Only 1 online index"):
            db.call("UpdateTable", create_request())
        with pytest.raises(ResourceInUse, match="still in use: Table is being updated: music"):
            db.call("DeleteTable", MUSIC)
        db.call("UpdateTable", {**MUSIC, "DeletionProtectionEnabled": True})
        db.call(
            "TagResource", {"ResourceArn": describe(db)["TableArn"], "Tags": [{"Key": "k", "Value": "v"}]}
        )
        assert describe(db)["GlobalSecondaryIndexes"][0]["Backfilling"] is True
    db.jobs.wake()
    db.jobs.wait()
    assert_complete(db)
    assert describe(db)["DeletionProtectionEnabled"] is True


def test_an_index_can_be_deleted_while_it_is_built(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("UpdateTable", create_request())
        space = db.state.catalog.table("music").indexes[0].space
        shown = db.call("UpdateTable", DELETE)["TableDescription"]
        assert shown["GlobalSecondaryIndexes"][0]["IndexStatus"] == "DELETING"
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert "GlobalSecondaryIndexes" not in describe(db)
    assert not db.state.store.read(lambda rows: rows.has_space(space))
    db.call("UpdateTable", create_request())
    assert_complete(db)


def test_writes_between_steps_are_in_the_index(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    seen: set[str] = set()

    def write() -> None:
        number = chance.randrange(ITEMS + 20)
        year = chance.choice(["1970", "1980", "1990", None])
        if describe(db).get("GlobalSecondaryIndexes", [{}])[0].get("Backfilling"):
            seen.add("delete" if year is None else "put")
        if year is None:
            delete(db, number)
        else:
            put(db, number, year)

    with monkeypatch.context() as patch:
        between_steps(patch, write)
        for _ in range(10):
            db.call("UpdateTable", create_request())
            db.jobs.wait_for_all()
            assert_complete(db)
            db.call("UpdateTable", DELETE)
            db.jobs.wait_for_all()
    assert seen == {"put", "delete"}, "items were written and deleted during the builds"


def test_concurrent_writers_and_a_build_agree(db: Database) -> None:
    is_over = threading.Event()
    during_build = [0]

    def write(seed: int) -> None:
        chance = random.Random(seed)
        while not is_over.is_set():
            if chance.random() < 0.3:
                delete(db, chance.randrange(ITEMS))
            else:
                put(db, chance.randrange(ITEMS), chance.choice(["1970", "1980", "1990"]))
            if db.state.catalog.table("music").definition.get("Building"):
                during_build[0] += 1

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(50):
            db.call("UpdateTable", create_request())
            db.jobs.wait_for_all()
            assert describe(db)["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
            if during_build[0] >= 20:
                break
            db.call("UpdateTable", DELETE)
            db.jobs.wait_for_all()
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert during_build[0] >= 20, "writers wrote during the build"
    assert_complete(db)


def test_a_build_continues_when_the_database_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "music.db"
    db = Database(open_store(path, "relaxed"))
    fill(db)
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("UpdateTable", create_request())
        assert index_count(db) == 7
    db.close()
    db = Database(open_store(path, "relaxed"))
    db.jobs.wait_for_all()
    assert index_count(db) == ITEMS
    assert_complete(db)
    db.close()


def test_a_copy_of_a_database_continues_the_build(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("UpdateTable", create_request())
    copied = db.copy()
    copied.jobs.wait_for_all()
    assert_complete(copied)
    copied.close()


def test_index_lag_after_a_build_shows_every_item() -> None:
    db = Database(open_store(), faults=Faults(index_lag=0.001))
    fill(db)
    db.call("UpdateTable", create_request())
    db.clock.advance(1)
    assert len(db.call("Scan", {**MUSIC, "IndexName": "by-year"})["Items"]) == ITEMS
    assert_complete(db)
    db.close()


def test_a_backup_during_a_build_has_the_index(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("UpdateTable", create_request())
        backup = db.call("CreateBackup", {**MUSIC, "BackupName": "copy"})["BackupDetails"]["BackupArn"]
    db.jobs.wake()
    db.jobs.wait_for_all()
    db.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": backup})
    db.jobs.wait_for_all()
    found = db.call("Scan", {"TableName": "restored", "IndexName": "by-year"})["Items"]
    assert len(found) == ITEMS
    assert_indexes_match(db)


BUILDER = """
import os, sys
from tablewright.engine.core.jobs.job_runner import Job
from tablewright.engine.database import Database
from tablewright.engine.core.jobs import index_builds
from tablewright.engine.core.state import row_batches
from tablewright.engine.storage import open_store
from tests.engine.core.jobs.test_index_builds import create_request

row_batches.MAX_ROWS = 7
index_builds.SAVED_BATCHES = 2
write = Job.write

def write_and_report(job, work):
    result = write(job, work)
    os.write(1, b"step\\n")
    return result

Job.write = write_and_report
db = Database(open_store(sys.argv[1]))
if "Building" not in db.state.catalog.table("music").definition:
    db.call("UpdateTable", create_request())
db.jobs.wait_for_all()
os.write(1, b"built\\n")
"""


def test_killed_builds_are_finished_and_match_the_table(tmp_path: Path) -> None:
    chance = random.Random(3)
    path = tmp_path / "music.db"
    db = Database(open_store(path, "relaxed"))
    fill(db, 200)
    db.close()
    kills = 0
    for _ in range(20):
        command = [sys.executable, "-c", BUILDER, str(path)]
        with ForkedProcess(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(chance.randrange(1, 6))]
            process.send_signal(signal.SIGKILL)
        kills += 1
        if "built\n" in lines:
            break
    assert kills >= 2, "the build was killed before its end"
    db = Database(open_store(path, "relaxed"))
    db.jobs.wait_for_all()
    assert_complete(db)
    assert index_count(db) == 200
    db.close()
