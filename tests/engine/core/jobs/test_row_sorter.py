"""Row sorter: order, duplicates, bounded memory, and a temporary file that leaves nothing."""

import os
import tempfile
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs import row_sorter
from tablewright.engine.core.jobs.row_sorter import RowSorter
from tests.example_counts import examples

Pair = tuple[bytes, bytes]


def sort(sorter: RowSorter, pairs: Iterable[Pair]) -> list[Pair]:
    for key, body in pairs:
        sorter.add(key, StoredItem(body, len(body) + 1))
    rows = list(sorter.rows())
    assert all(item.size == len(item.raw) + 1 for _, item in rows)
    return [(key, item.raw) for key, item in rows]


@given(
    pairs=st.lists(st.tuples(st.binary(min_size=1, max_size=2), st.binary(max_size=300)), max_size=120),
    run_bytes=st.sampled_from([1, 700, 1 << 20]),
    max_runs=st.sampled_from([2, 3, 100]),
    piece_rows=st.sampled_from([1, 3, 4096]),
)
@examples(60)
def test_rows_come_in_order_and_the_last_of_each_key_stays(
    pairs: list[Pair], run_bytes: int, max_runs: int, piece_rows: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(row_sorter, "MAX_RUNS", max_runs)
        patch.setattr(row_sorter, "_PIECE_ROWS", piece_rows)
        patch.setattr(row_sorter, "_BLOCK_BYTES", 500)
        with RowSorter(Path(folder), run_bytes) as sorter:
            assert sort(sorter, pairs) == sorted(dict(pairs).items())


def numbered(count: int, size: int) -> Iterable[Pair]:
    """Rows in a mixed order."""
    return ((b"%08d" % (number * 7919 % count), bytes(size)) for number in range(count))


def test_few_rows_are_sorted_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(**_: object) -> None:
        raise AssertionError("a temporary file was created")

    monkeypatch.setattr(tempfile, "TemporaryFile", reject)
    with RowSorter(tmp_path) as sorter:
        assert len(sort(sorter, numbered(100, 10))) == 100
        assert sorter.run_count == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows deletes the file when it is closed")
def test_the_temporary_file_has_no_name_and_is_private(tmp_path: Path) -> None:
    with RowSorter(tmp_path, 10_000) as sorter:
        assert len(sort(sorter, numbered(200, 100))) == 200
        assert sorter.run_count > 1
        assert sorter._file is not None
        status = os.fstat(sorter._file.fileno())
        assert status.st_size > 200 * 100
        assert status.st_dev == tmp_path.stat().st_dev, "it is on the disk of the data"
        assert (status.st_nlink, status.st_mode & 0o077) == (0, 0)
        assert list(tmp_path.iterdir()) == [], "a killed process leaves nothing"
    assert sorter._file.closed


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    """16 MB of rows are sorted in runs of 1 MB."""
    tracemalloc.start()
    try:
        with RowSorter(tmp_path, 1 << 20) as sorter:
            for key, body in numbered(4000, 4096):
                sorter.add(key, StoredItem(body, 1))
            assert sum(1 for _ in sorter.rows()) == 4000
            assert sorter.run_count >= 15
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5 << 20


def test_rows_are_copied_out_of_larger_buffers(tmp_path: Path) -> None:
    """Measured: 363 bytes that orjson made take 4,125 bytes of memory, and a copy of them 424."""
    item = StoredItem.of({"id": {"S": "a" * 100}}, 100)
    with RowSorter(tmp_path) as sorter:
        sorter.add(b"a", item)
        ((_, _, _, kept),) = sorter._piece
        assert kept == item.raw
        assert kept is not item.raw


def test_many_runs_are_merged_in_several_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_sorter, "MAX_RUNS", 3)
    with RowSorter(tmp_path, 1) as sorter:
        assert [key for key, _ in sort(sorter, numbered(50, 10))] == [
            b"%08d" % number for number in range(50)
        ]
        assert sorter.run_count <= 3


@pytest.mark.parametrize("damage", ["a changed bit", "zeros", "the end is missing"])
def test_a_damaged_temporary_file_is_noticed(tmp_path: Path, damage: str) -> None:
    with RowSorter(tmp_path, 10_000) as sorter:
        for key, body in numbered(200, 100):
            sorter.add(key, StoredItem(body, 1))
        file = sorter._file
        assert file is not None
        file.flush()
        if damage == "the end is missing":
            os.ftruncate(file.fileno(), sorter._end // 2)
        else:
            file.seek(0)
            changed = bytes(1000) if damage == "zeros" else file.read(999) + b"\x01"
            file.seek(0)
            file.write(changed)
        with pytest.raises(OSError, match="changed on the disk"):
            list(sorter.rows())
