"""Partitions: the parts of the hash space that AWS stores separately, as far as clients can observe.

A partition serves 3,000 read and 1,000 write units a second. A new on-demand table has four (12,000 and 4,000 units),
a provisioned one as many as its throughput needs. A Scan pays for every partition it enters, even an empty one:
https://stackoverflow.com/questions/70121087
"""

from collections.abc import Iterable

from tablewright.dynamodb.values.capacity import ON_DEMAND_PARTITIONS, partitions_for, read_units
from tablewright.dynamodb.values.key_bytes import HASH_SPACE, hash_of
from tablewright.engine.core.state.catalog import Index, Table


def partition_count(table: Table, index: Index | None = None) -> int:
    """The number of partitions of a table or a global index; a local index shares those of its table."""
    description = table.description
    if description.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST":
        return ON_DEMAND_PARTITIONS
    throughput = description
    if index is not None and index.kind == "global":
        throughput = next(
            entry for entry in description["GlobalSecondaryIndexes"] if entry["IndexName"] == index.name
        )
    given = throughput.get("ProvisionedThroughput", {})
    return partitions_for(given.get("ReadCapacityUnits", 0), given.get("WriteCapacityUnits", 0))


def scan_units(
    rows: Iterable[tuple[bytes, int]], first: bytes, last: bytes | None, partitions: int, *, consistent: bool
) -> float:
    """Units to scan rows, given as keys and sizes, from the key `first` to `last` (or to the end)."""
    start = _partition(first, partitions)
    end = partitions - 1 if last is None else _partition(last, partitions)
    sizes = dict.fromkeys(range(start, end + 1), 0)
    for key, size in rows:
        sizes[_partition(key, partitions)] += size
    return sum(read_units(size, consistent=consistent) for size in sizes.values())


def _partition(key: bytes, partitions: int) -> int:
    return hash_of(key.ljust(4, b"\x00")) * partitions // HASH_SPACE
