"""Table load: items in any order give the same table, which is written in the order of its keys."""

import errno
import json
import random
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs import row_sorter
from tablewright.engine.core.jobs.job_runner import Job
from tablewright.engine.core.jobs.row_sorter import RowSorter
from tablewright.engine.core.state import row_batches
from tablewright.engine.database import Database
from tablewright.engine.features.imports import import_job
from tablewright.engine.storage import ReadView, Transaction
from tests.engine.archive import BUCKET, archive, import_into, import_request
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS
from tests.example_counts import examples
from tests.forked_processes import ForkedProcess

ROOT = Path(__file__).parents[4]
KEYS = {name: ORDERS[name] for name in ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")}
Item = dict[str, Any]


def item(number: int, team: str | None = None, note: str = "") -> Item:
    made = {"pk": {"S": f"p{number // 3}"}, "sk": {"N": str(number)}, "note": {"S": note}}
    return made if team is None else made | {"team": {"S": team}, "rank": {"N": str(-number)}}


def upload(folder: Path, items: Iterable[Item], name: str = "data.json") -> None:
    lines = [json.dumps({"Item": each}) + "\n" for each in items]
    (folder / BUCKET).mkdir(parents=True, exist_ok=True)
    (folder / BUCKET / name).write_text("".join(lines))


def stored(db: Database) -> list[list[tuple[bytes, int, bytes]]]:
    """All rows of the table and of its indexes."""
    table = db.state.catalog.table("orders")
    spaces = [table.space, *(index.space for index in table.indexes)]
    return db.state.store.read(
        lambda rows: [[(key, row.size, row.raw) for key, row in rows.range(space)] for space in spaces]
    )


def imported(db: Database) -> tuple[Item, Any]:
    ended = import_into(db, "orders", "data", KEYS)
    shown = db.call("DescribeTable", {"TableName": "orders"})["Table"]
    counted = [shown["ItemCount"], shown["TableSizeBytes"]]
    counted += [(index["ItemCount"], index["IndexSizeBytes"]) for index in shown["GlobalSecondaryIndexes"]]
    members = ("ImportStatus", "ProcessedItemCount", "ImportedItemCount", "ErrorCount", "ProcessedSizeBytes")
    return {name: ended[name] for name in members}, (counted, stored(db))


INVALID = {"pk": {"S": "p"}, "sk": {"S": "no number"}}
made_items = st.builds(
    item, st.integers(-20, 20), st.sampled_from([None, "red", "blue"]), st.sampled_from(["", "a", "b" * 400])
)


@given(
    files=st.lists(st.lists(made_items | st.just(INVALID), max_size=40), min_size=1, max_size=3),
    run_bytes=st.sampled_from([1, 3000, 1 << 20]),
)
@examples(60)
def test_a_sorted_import_gives_the_same_table_as_an_unsorted_one(
    files: list[list[Item]], run_bytes: int
) -> None:
    """In memory nothing is sorted."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(row_sorter, "RUN_BYTES", run_bytes)
        patch.setattr(row_batches, "MAX_ROWS", 3)
        patch.setattr(import_job, "ITEMS_AT_ONCE", 4)
        for number, items in enumerate(files):
            upload(Path(folder), items, f"data-{number}.json")
        with archive(Path(folder)) as memory, archive(Path(folder), Path(folder) / "data.db") as file:
            assert imported(file) == imported(memory)
            assert_indexes_match(file)


def shuffled(count: int) -> list[Item]:
    items = [item(number, "red" if number % 2 else "blue") for number in range(count)]
    random.Random(5).shuffle(items)
    return items


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small runs and batches."""
    monkeypatch.setattr(row_sorter, "RUN_BYTES", 3000)
    monkeypatch.setattr(row_batches, "MAX_ROWS", 2)
    monkeypatch.setattr(import_job, "ITEMS_AT_ONCE", 10)
    monkeypatch.setattr(import_job, "REPORT_ITEMS", 25)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[int, list[bytes]]:
    """The keys that jobs write, by space."""
    keys: dict[int, list[bytes]] = {}
    write_row = Transaction.put

    def record(rows: Transaction, space: int, key: bytes, row: StoredItem) -> None:
        if threading.current_thread() is not threading.main_thread():
            keys.setdefault(space, []).append(key)
        write_row(rows, space, key, row)

    monkeypatch.setattr(Transaction, "put", record)
    return keys


@pytest.mark.usefixtures("small")
def test_the_table_and_each_index_are_written_in_order(
    tmp_path: Path, written: dict[int, list[bytes]]
) -> None:
    upload(tmp_path, shuffled(100))
    with archive(tmp_path, tmp_path / "data.db") as db:
        import_into(db, "orders", "data", KEYS)
        table = db.state.catalog.table("orders")
        for space in (table.space, *(index.space for index in table.indexes)):
            keys = written[space]
            assert len(keys) == 100
            assert keys == sorted(keys)


@pytest.mark.usefixtures("small")
def test_items_in_order_are_written_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export has the order of the table: nothing is sorted. From an item in another order on, the rest is."""
    upload(tmp_path, shuffled(100))
    sorted_keys: list[bytes] = []
    add = RowSorter.add

    def record(sorter: RowSorter, key: bytes, row: StoredItem) -> None:
        sorted_keys.append(key)
        add(sorter, key, row)

    monkeypatch.setattr(RowSorter, "add", record)
    no_indexes = {
        "KeySchema": KEYS["KeySchema"],
        "AttributeDefinitions": KEYS["AttributeDefinitions"][:2],
    }
    with archive(tmp_path, tmp_path / "data.db") as db:
        import_into(db, "orders", "data", no_indexes)
        assert len(sorted_keys) == 100
        sorted_keys.clear()
        items = db.call("Scan", {"TableName": "orders"})["Items"]
        late, early = items[80], items[3] | {"note": {"S": "newer"}}
        upload(tmp_path, items, "ordered.json")
        upload(tmp_path, [*items[:80], *items[81:], late, early], "disordered.json")
        import_into(db, "ordered", "ordered", no_indexes)
        assert sorted_keys == []
        import_into(db, "disordered", "disordered", no_indexes)
        assert 2 <= len(sorted_keys) <= 12, "only what was not written before"
        assert db.call("Scan", {"TableName": "ordered"})["Items"] == items
        items[3] = early
        assert db.call("Scan", {"TableName": "disordered"})["Items"] == items
        assert db.call("DescribeTable", {"TableName": "disordered"})["Table"]["ItemCount"] == 100


@pytest.mark.usefixtures("small")
def test_progress_is_saved_while_items_are_sorted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(tmp_path, shuffled(100))
    shown: list[int] = []
    write = Job.write

    def write_and_look(job: Job, work: Any) -> Any:
        result = write(job, work)
        (summary,) = db.call("ListImports", {})["ImportSummaryList"]
        described = db.call("DescribeImport", {"ImportArn": summary["ImportArn"]})
        shown.append(described["ImportTableDescription"]["ProcessedItemCount"])
        return result

    with archive(tmp_path, tmp_path / "data.db") as db:
        monkeypatch.setattr(Job, "write", write_and_look)
        import_into(db, "orders", "data", KEYS)
    assert shown == sorted(shown)
    assert len({count for count in shown if 0 < count < 100}) >= 3


@pytest.mark.usefixtures("small")
def test_no_transaction_has_more_items_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(tmp_path, shuffled(100))
    sizes: list[int] = []
    write = Job.write

    def count(rows: ReadView) -> int:
        ((found,),) = rows.execute("SELECT count(*) FROM rows")
        return int(found)

    def write_and_count(job: Job, work: Any) -> Any:
        before = db.state.store.read(count)
        result = write(job, work)
        sizes.append(db.state.store.read(count) - before)
        return result

    with archive(tmp_path, tmp_path / "data.db") as db:
        monkeypatch.setattr(Job, "write", write_and_count)
        import_into(db, "orders", "data", KEYS)
    assert sum(sizes) == 300
    assert max(sizes) <= max(10, 2 * row_batches.PREPARED)


IMPORTER = """
import os, sys
from pathlib import Path
from tablewright.engine.features.imports import import_job
from tablewright.engine.core.jobs import row_sorter
from tablewright.engine.core.jobs.job_runner import Job
from tests.engine.archive import archive, import_request
from tests.engine.features.imports.test_table_load import KEYS

row_sorter.RUN_BYTES = 10_000
import_job.ITEMS_AT_ONCE = 100
import_job.REPORT_ITEMS = 100
write = Job.write

def write_and_report(job, work):
    result = write(job, work)
    os.write(1, b"step\\n")
    return result

Job.write = write_and_report
folder = Path(sys.argv[1])
with archive(folder, folder / "data" / "data.db") as db:
    if not db.call("ListImports", {})["ImportSummaryList"]:
        db.call("ImportTable", import_request("orders", "data", KEYS))
    db.jobs.wait_for_all()
"""


def test_a_killed_import_starts_again_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    upload(tmp_path, shuffled(600))
    (tmp_path / "data").mkdir()
    rng = random.Random(4)
    for _ in range(2):
        command = [sys.executable, "-c", IMPORTER, str(tmp_path)]
        with ForkedProcess(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            for _ in range(rng.randrange(6, 18)):
                assert process.stdout.readline() == "step\n"
            process.send_signal(signal.SIGKILL)
        left = {path.name for path in (tmp_path / "data").iterdir()}
        assert left <= {"data.db", "data.db-wal", "data.db-shm", "data.db.lock"}
    with archive(tmp_path, tmp_path / "data" / "data.db") as db:
        db.jobs.wait_for_all()
        (summary,) = db.call("ListImports", {})["ImportSummaryList"]
        assert summary["ImportStatus"] == "COMPLETED"
        assert db.call("Scan", {"TableName": "orders", "Select": "COUNT"})["Count"] == 600
        assert_indexes_match(db)


@pytest.mark.usefixtures("small")
def test_closing_the_database_ends_the_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(tmp_path, shuffled(100))
    files: list[Any] = []
    close = RowSorter.close

    def record_and_close(sorter: RowSorter) -> None:
        files.append(sorter._file)
        close(sorter)

    monkeypatch.setattr(RowSorter, "close", record_and_close)

    add = RowSorter.add

    def add_and_stop(sorter: RowSorter, key: bytes, row: StoredItem) -> None:
        add(sorter, key, row)
        if sorter.run_count == 2:
            db.jobs._stopping.set()

    monkeypatch.setattr(RowSorter, "add", add_and_stop)
    with archive(tmp_path, tmp_path / "data.db") as db:
        db.call("ImportTable", import_request("orders", "data", KEYS))
        db.jobs.wait_for_all()
    assert [file.closed for file in files] == [True]


def peak_of_import(folder: Path, count: int) -> int:
    """The peak of Python's memory while items of 1 KB are imported."""
    upload(folder, (item(number * 7919 % count, "red", "n" * 1000) for number in range(count)))
    with archive(folder, folder / f"{count}.db") as db:
        tracemalloc.start()
        try:
            assert import_into(db, "orders", "data", KEYS)["ImportedItemCount"] == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def test_memory_does_not_grow_with_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_sorter, "RUN_BYTES", 200_000)
    monkeypatch.setattr(row_sorter, "_BLOCK_BYTES", 4_000)
    monkeypatch.setattr(row_batches, "MAX_ROWS", 16)
    monkeypatch.setattr(import_job, "ITEMS_AT_ONCE", 100)
    few, many = peak_of_import(tmp_path, 500), peak_of_import(tmp_path, 3000)
    assert many < few + 1_000_000, "2.5 MB more were imported"


@pytest.mark.usefixtures("small")
def test_an_import_without_disk_space_runs_again_when_the_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(sorter: RowSorter, block: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    upload(tmp_path, shuffled(100))
    with archive(tmp_path, tmp_path / "data.db") as db:
        with monkeypatch.context() as full:
            full.setattr(RowSorter, "_write_block", fail)
            begun = import_into(db, "orders", "data", KEYS)
        assert begun["ImportStatus"] == "IN_PROGRESS"
        assert "No space left on device" in caplog.text
        assert db.call("ListTables", {})["TableNames"] == []
    with archive(tmp_path, tmp_path / "data.db") as db:
        db.jobs.wait_for_all()
        request = {"ImportArn": begun["ImportArn"]}
        assert db.call("DescribeImport", request)["ImportTableDescription"]["ImportStatus"] == "COMPLETED"
        assert db.call("Scan", {"TableName": "orders", "Select": "COUNT"})["Count"] == 100
        assert_indexes_match(db)
