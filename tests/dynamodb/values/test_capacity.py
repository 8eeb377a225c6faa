"""Capacity units and partitions."""

import pytest

from tablewright.dynamodb.values.capacity import (
    PARTITION_READS,
    PARTITION_WRITES,
    partitions_for,
    read_units,
    write_units,
)


@pytest.mark.parametrize(
    ("size", "consistent", "eventual", "transactional"),
    [(0, 1, 0.5, 2), (1, 1, 0.5, 2), (4096, 1, 0.5, 2), (4097, 2, 1, 4), (400 * 1024, 100, 50, 200)],
)
def test_reads_cost_one_unit_for_each_4_kilobytes(
    size: int, consistent: float, eventual: float, transactional: float
) -> None:
    assert read_units(size, consistent=True) == consistent
    assert read_units(size, consistent=False) == eventual
    assert read_units(size, consistent=True, transactional=True) == transactional


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1024, 1), (1025, 2), (400 * 1024, 400)])
def test_writes_cost_one_unit_for_each_kilobyte(size: int, units: float) -> None:
    assert write_units(size) == units
    assert write_units(size, transactional=True) == 2 * units


def test_reads_and_writes_share_the_partitions() -> None:
    assert partitions_for(1, 1) == 1
    assert partitions_for(PARTITION_READS, PARTITION_WRITES) == 2
    assert partitions_for(PARTITION_READS // 2, PARTITION_WRITES // 2) == 1
