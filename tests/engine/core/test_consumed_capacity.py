"""Consumed capacity: units by table and index, as ConsumedCapacity shows them."""

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.consumed_capacity import CapacityMeter, CapacityMeters, meter_for
from tests.engine.core.test_index_rows import INDEX, TABLE

ONE_KB, THREE_KB = StoredItem(b"{}", 1024), StoredItem(b"{}", 3000)


def test_a_write_costs_the_larger_of_both_sizes() -> None:
    meter = CapacityMeter(TABLE)
    meter.write(THREE_KB, ONE_KB)
    meter.write(None, ONE_KB)
    assert meter.show("TOTAL") == {"TableName": "music", "CapacityUnits": 4.0}


def test_an_index_row_that_moves_costs_two_writes() -> None:
    meter = CapacityMeter(TABLE)
    meter.write_index(INDEX, (b"a", ONE_KB), (b"a", THREE_KB))
    assert meter.total == 3
    meter.write_index(INDEX, (b"a", ONE_KB), (b"b", THREE_KB))
    assert meter.total == 3 + 1 + 3
    shown = meter.show("INDEXES")
    assert shown["Table"] == {"CapacityUnits": 0.0}
    assert shown["GlobalSecondaryIndexes"] == {"by-year": {"CapacityUnits": 7.0}}
    assert "LocalSecondaryIndexes" not in shown


def test_a_transaction_costs_double_and_shows_reads_and_writes() -> None:
    meter = CapacityMeter(TABLE, transactional=True)
    meter.write(None, ONE_KB)
    meter.read(2.0)
    assert meter.show("TOTAL") == {
        "TableName": "music",
        "CapacityUnits": 4.0,
        "ReadCapacityUnits": 2.0,
        "WriteCapacityUnits": 2.0,
    }


def test_bills_are_shown_only_when_requested() -> None:
    assert meter_for(TABLE, None) is None
    assert meter_for(TABLE, "NONE") is None
    assert CapacityMeters("NONE").requested(TABLE) is None
    assert CapacityMeters("NONE").add_to({}) == {}
    meters = CapacityMeters("TOTAL")
    meters.of(TABLE).read(0.5)
    assert meters.requested(TABLE) is meters.of(TABLE)
    assert meters.add_to({}) == {"ConsumedCapacity": [{"TableName": "music", "CapacityUnits": 0.5}]}
