"""Consumed capacity: units by table and index, as ConsumedCapacity shows them."""

from tablewright.engine.consumed_capacity import Bill, Bills, bill_for
from tablewright.values.stored_items import StoredItem
from tests.engine.test_index_rows import INDEX, TABLE

ONE_KB, THREE_KB = StoredItem(b"{}", 1024), StoredItem(b"{}", 3000)


def test_a_write_costs_the_larger_of_both_sizes() -> None:
    bill = Bill(TABLE)
    bill.write(THREE_KB, ONE_KB)
    bill.write(None, ONE_KB)
    assert bill.show("TOTAL") == {"TableName": "music", "CapacityUnits": 4.0}


def test_an_index_row_that_moves_costs_two_writes() -> None:
    bill = Bill(TABLE)
    bill.write_index(INDEX, (b"a", ONE_KB), (b"a", THREE_KB))
    assert bill.total == 3
    bill.write_index(INDEX, (b"a", ONE_KB), (b"b", THREE_KB))
    assert bill.total == 3 + 1 + 3
    shown = bill.show("INDEXES")
    assert shown["Table"] == {"CapacityUnits": 0.0}
    assert shown["GlobalSecondaryIndexes"] == {"by-year": {"CapacityUnits": 7.0}}
    assert "LocalSecondaryIndexes" not in shown


def test_a_transaction_costs_double_and_shows_reads_and_writes() -> None:
    bill = Bill(TABLE, transactional=True)
    bill.write(None, ONE_KB)
    bill.read(2.0)
    assert bill.show("TOTAL") == {
        "TableName": "music",
        "CapacityUnits": 4.0,
        "ReadCapacityUnits": 2.0,
        "WriteCapacityUnits": 2.0,
    }


def test_bills_are_shown_only_when_requested() -> None:
    assert bill_for(TABLE, None) is None
    assert bill_for(TABLE, "NONE") is None
    assert Bills("NONE").requested(TABLE) is None
    assert Bills("NONE").on({}) == {}
    bills = Bills("TOTAL")
    bills.of(TABLE).read(0.5)
    assert bills.requested(TABLE) is bills.of(TABLE)
    assert bills.on({}) == {"ConsumedCapacity": [{"TableName": "music", "CapacityUnits": 0.5}]}
