"""Capacity units: the units of a read or a write, and the limits of a partition.

Metering, checks and planning all use these functions, so they cannot disagree.
"""

DATA_OPERATIONS = (
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "DeleteItem",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "TransactGetItems",
    "TransactWriteItems",
    "UpdateItem",
)
"""The operations that read and write items, and report their consumed capacity."""
READ_UNIT = 4096
WRITE_UNIT = 1024

PARTITION_READS = 3000
"""Read units a second that one partition, and so one partition key value, can serve."""
PARTITION_WRITES = 1000
ON_DEMAND_PARTITIONS = 4
"""Partitions of a new on-demand table: it can serve 12,000 reads and 4,000 writes a second."""


def read_units(size: int, *, consistent: bool, transactional: bool = False) -> float:
    """Units to read `size` bytes: one per 4 KB begun; half when eventually consistent; double in a transaction.

    >>> read_units(0, consistent=True), read_units(4097, consistent=False)
    (1.0, 1.0)
    """
    units = max(1, -(-size // READ_UNIT))
    if transactional:
        return 2.0 * units
    return float(units) if consistent else units / 2


def write_units(size: int, *, transactional: bool = False) -> float:
    """Units to write `size` bytes: one per 1 KB begun; double in a transaction.

    >>> write_units(1024), write_units(1025), write_units(1, transactional=True)
    (1.0, 2.0, 2.0)
    """
    units = max(1, -(-size // WRITE_UNIT))
    return float(2 * units if transactional else units)


def partitions_for(reads: int, writes: int) -> int:
    """The number of partitions for a provisioned capacity.

    >>> partitions_for(3000, 0), partitions_for(1500, 500), partitions_for(1500, 501)
    (1, 1, 2)
    """
    needed = reads * PARTITION_WRITES + writes * PARTITION_READS
    return max(1, -(-needed // (PARTITION_READS * PARTITION_WRITES)))
