"""Damaged files: rows around an unreadable page are found, and each damaged row is reported once."""

from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import Transaction, open_store
from tablewright.engine.storage.damaged_file import DamagedFile
from tests.engine.storage.damaged_files import flip_bit

ROWS = 500


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    store = open_store(path, "relaxed")

    def fill(tx: Transaction) -> None:
        tx.create_space(7)
        for number in range(ROWS):
            tx.put(7, b"key-%05d" % number, StoredItem(b"body-%05d" % number * 50, number))

    store.write(fill)
    store.close()
    return path


def read(path: Path) -> tuple[dict[bytes, StoredItem], list[bytes | None]]:
    damaged: list[bytes | None] = []
    with DamagedFile(path) as file:
        rows = dict(file.rows(7, lambda key, problem: damaged.append(key)))
    return rows, damaged


def test_a_whole_file(file: Path) -> None:
    rows, damaged = read(file)
    assert (len(rows), damaged) == (ROWS, [])
    with DamagedFile(file) as opened:
        assert list(opened.damaged_pages(lambda done, total: None)) == []
        assert opened.structure_problems() == []
        assert opened.get(7, b"none") is None


def test_a_changed_row(file: Path) -> None:
    flip_bit(file, file.read_bytes().index(b"body-00100") * 8)
    rows, damaged = read(file)
    assert (len(rows), damaged) == (ROWS - 1, [b"key-00100"])
    with DamagedFile(file) as opened:
        assert len(list(opened.damaged_pages(lambda done, total: None))) == 1
        assert opened.get(7, b"key-00100") is None
        assert opened.get(7, b"key-00101") is not None


def test_a_page_of_zeros(file: Path) -> None:
    content = bytearray(file.read_bytes())
    page = content.index(b"key-00250") // 8192 * 8192
    content[page : page + 8192] = bytes(8192)
    file.write_bytes(content)
    rows, damaged = read(file)
    assert ROWS - 30 < len(rows) < ROWS
    assert damaged
    assert set(damaged) == {None}
    assert all(row.raw == key.replace(b"key", b"body") * 50 for key, row in rows.items())
    with DamagedFile(file) as opened:
        assert opened.structure_problems()
