"""DescribeTable: item counts and sizes are exact, whatever was written, undone or reopened."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.database import Database
from tablewright.engine.storage import Transaction, open_store
from tablewright.errors import StoreError
from tests.engine.order_table import ORDERS
from tests.example_counts import examples

Figures = dict[str, tuple[int, int]]


def figures(db: Database) -> Figures:
    """Count and size of the table and its indexes, as DescribeTable shows them."""
    shown = db.call("DescribeTable", {"TableName": "orders"})["Table"]
    indexes = [*shown["GlobalSecondaryIndexes"], *shown["LocalSecondaryIndexes"]]
    return {
        "orders": (shown["ItemCount"], shown["TableSizeBytes"]),
        **{index["IndexName"]: (index["ItemCount"], index["IndexSizeBytes"]) for index in indexes},
    }


def counted(db: Database) -> Figures:
    """The same, by counting every row."""
    table = db.state.catalog.table("orders")
    spaces = {table.name: table.space, **{index.name: index.space for index in table.indexes}}
    return db.state.store.read(lambda rows: {name: rows.totals(space) for name, space in spaces.items()})


def put(db: Database, number: int, **attributes: Any) -> None:
    item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, **attributes}
    db.call("PutItem", {"TableName": "orders", "Item": item})


KEYS = st.integers(0, 3)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "team": st.sampled_from(["red", "blue"]).map(lambda text: {"S": text}),
        "rank": st.integers(0, 2).map(lambda number: {"N": str(number)}),
        "note": st.text(max_size=5).map(lambda text: {"S": text}),
    },
)
STEPS = st.lists(st.one_of(st.tuples(KEYS, ATTRIBUTES), st.tuples(KEYS, st.none())), max_size=20)


@examples(60)
@given(STEPS)
def test_counts_equal_a_scan(steps: list[tuple[int, dict[str, Any] | None]]) -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    for number, attributes in steps:
        if attributes is None:
            db.call(
                "DeleteItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": str(number)}}}
            )
        else:
            put(db, number, **attributes)
    assert figures(db) == counted(db)
    db.close()


def test_counts_of_an_opened_file_are_counted_once_and_updated(tmp_path: Path) -> None:
    db = Database(open_store(tmp_path / "orders.db"))
    db.call("CreateTable", ORDERS)
    put(db, 1, team={"S": "red"})
    before = figures(db)
    db.close()
    db = Database(open_store(tmp_path / "orders.db"))
    assert figures(db) == before
    put(db, 2, team={"S": "red"}, rank={"N": "1"})
    assert figures(db) == counted(db)
    assert figures(db)["orders"][0] == 2
    db.close()


def test_counts_and_tables_are_corrected_after_undone_writes() -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    put(db, 1)
    before = figures(db)

    def fail(rows: Transaction) -> None:
        db.state.catalog.remove(rows, db.state.catalog.table("orders"))
        raise RuntimeError("the disk is on fire")

    staged = db.state.store.stage(lambda rows: rows.delete_range(db.state.catalog.table("orders").space))
    with pytest.raises(RuntimeError):
        db.state.store.write(fail)
    with pytest.raises(StoreError):
        staged.outcome()
    assert db.call("ListTables", {})["TableNames"] == ["orders"]
    assert figures(db) == before == counted(db)
    db.close()


def test_counts_first_read_during_an_uncommitted_write_stay_exact(tmp_path: Path) -> None:
    """The rows are counted while a write is open; the count lacks that write, so it must not be kept as a tally."""
    path = tmp_path / "data.db"
    db = Database(open_store(path))
    db.call("CreateTable", ORDERS)
    put(db, 1)
    db.close()
    db = Database(open_store(path))
    db.stage_json("PutItem", b'{"TableName":"orders","Item":{"pk":{"S":"a"},"sk":{"N":"2"}}}')
    assert figures(db)["orders"][0] == 1
    db.flush()
    assert figures(db) == counted(db)
    put(db, 3)
    assert figures(db) == counted(db)
    assert figures(db)["orders"][0] == 3
    db.close()
