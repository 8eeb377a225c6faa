"""Storage check: a whole file has no problems; damage is found and named by table and key."""

import re
from pathlib import Path
from typing import Any

import pytest

from tablewright.connections import embedded
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import CATALOG, COLLECTIONS
from tablewright.engine.salvage import salvage
from tablewright.engine.storage_check import check_storage
from tablewright.errors import StoreLocked
from tests.engine.order_table import ORDERS
from tests.engine.storage.damaged_files import (
    change_rows,
    delete_rows,
    flip_bit,
    forget_space,
)

ITEMS = 30


def key(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"p{number % 3}"}, "sk": {"N": str(number)}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    with embedded(path, durability="relaxed") as db:
        db.call("CreateTable", ORDERS)
        for number in range(ITEMS):
            item = {
                **key(number),
                "team": {"S": "red"},
                "rank": {"N": "1"},
                "note": {"S": f"note-{number}-" * 30},
            }
            db.call("PutItem", {"TableName": "orders", "Item": item})
    return path


def space_of(path: Path, index: str | None = None) -> int:
    with embedded(path) as db:
        table = db._open().state.catalog.table("orders")
        found = table if index is None else table.index(index)
        assert found is not None
        return found.space


def problems(path: Path) -> list[tuple[str, dict[str, Any] | None]]:
    return [(each.place, each.key) for each in check_storage(path).problems]


def test_a_whole_file_has_no_problems(file: Path) -> None:
    before = file.read_bytes()
    seen: set[str] = set()
    report = check_storage(file, lambda part, done, total: seen.add(part))
    assert report.problems == []
    assert report.rows >= 4 * ITEMS
    assert "pages" in seen
    assert file.read_bytes() == before
    embedded(file).close()


def test_a_damaged_item_is_named(file: Path) -> None:
    assert change_rows(file, space_of(file), "body = '#' || body", "instr(body, 'note-7-') > 0") == 1
    found = problems(file)
    assert ("table 'orders'", key(7)) in found
    assert all(each == key(7) for _, each in found)
    assert {place for place, _ in found} == {
        "table 'orders'",
        *(f"index '{name}' of table 'orders'" for name in ("by-team", "by-team-keys", "by-rank")),
    }


def test_a_changed_bit_is_found(file: Path) -> None:
    for match in re.finditer(b'"note":{"S":"note-7-', file.read_bytes()):
        flip_bit(file, match.start() * 8)
    found = problems(file)
    assert found[0][0].startswith("page ")
    assert ("table 'orders'", key(7)) in found
    assert {each["sk"]["N"] for _, each in found if each is not None} == {"7"}


def test_an_index_that_differs_from_its_table_is_found(file: Path) -> None:
    space = space_of(file, "by-team-keys")
    assert delete_rows(file, space, 'instr(body, \'"N":"5"\') > 0') == 1
    assert problems(file) == [("index 'by-team-keys' of table 'orders'", key(5))]
    assert delete_rows(file, space_of(file), "instr(body, 'note-9-') > 0") == 1
    found = [each.problem for each in check_storage(file).problems if each.key == key(9)]
    assert found == ["has a row without an intact item in the table"] * 3


def test_a_space_that_is_missing_in_the_list_is_found(file: Path, tmp_path: Path) -> None:
    forget_space(file, space_of(file, "by-team"))
    (problem,) = check_storage(file).problems
    assert str(problem).startswith("index 'by-team' of table 'orders': space ")
    forget_space(file, space_of(file))
    assert len(check_storage(file).problems) == 2
    assert salvage(file, tmp_path / "new.db").lost == []
    with embedded(tmp_path / "new.db") as db:
        assert db.call("Scan", {"TableName": "orders", "IndexName": "by-team"})["Count"] == ITEMS
    assert check_storage(tmp_path / "new.db").problems == []


def test_a_damaged_definition_is_named(file: Path) -> None:
    assert change_rows(file, CATALOG, "body = '#' || body") == 1
    (problem,) = check_storage(file).problems
    assert "table definitions" in str(problem)
    assert "'orders'" in str(problem)


def test_a_file_in_use_is_rejected(file: Path) -> None:
    with embedded(file), pytest.raises(StoreLocked):
        check_storage(file)


def test_a_wrong_size_of_an_item_collection_is_found(file: Path) -> None:
    with embedded(file, durability="relaxed") as db:
        db._open().sessions.write(_add_a_byte)
    [problem] = check_storage(file).problems
    assert (problem.place, problem.table) == ("item collections of table 'orders'", "orders")
    assert re.search(r"the size of partition [0-9a-f]+ is \d+, not \d+", problem.problem)


def _add_a_byte(tx: Writing) -> None:
    key, row = next(iter(tx.rows.range(COLLECTIONS)))
    tx.rows.put(COLLECTIONS, key, StoredItem(b"%d" % (int(row.raw) + 1), 0))
