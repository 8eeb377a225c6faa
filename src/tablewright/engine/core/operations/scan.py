"""Scan: read every item of a table or an index, or of one segment, partition by partition.

Partitions: the parts of the hash space that AWS stores separately, as far as clients can observe.

A partition serves 3,000 read and 1,000 write units a second. A new on-demand table has four (12,000 and 4,000 units),
a provisioned one as many as its throughput needs. A Scan pays for every partition it enters, even an empty one:
https://stackoverflow.com/questions/70121087
"""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from tablewright.dynamodb.expressions import Scope, require_one_style
from tablewright.dynamodb.values.attributes import Item, type_of
from tablewright.dynamodb.values.capacity import ON_DEMAND_PARTITIONS, partitions_for, read_units
from tablewright.dynamodb.values.key_bytes import HASH_SPACE, hash_of
from tablewright.engine.core.consumed_capacity import meter_for
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.reads.key_ranges import (
    EVERYTHING,
    INVALID,
    Span,
    require_key_parts,
    require_table_key,
    segment_span,
    start_key_of,
)
from tablewright.engine.core.reads.page_reader import RowPage, charge, read_page
from tablewright.engine.core.reads.read_sources import ReadSource, source_of
from tablewright.engine.core.reads.selections import (
    Selection,
    legacy_filter,
    legacy_projection,
    require_select_fits,
    selection_of,
)
from tablewright.engine.core.requests.scalars import Layer
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    CONDITIONAL_OPERATOR,
    CONDITIONS,
    ITEM,
    NAMES,
    TABLE_NAME,
    Boolean,
    ListOf,
    Number,
    Shape,
    Text,
    one_of,
)
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable
from tablewright.engine.core.state.key_schema import MISMATCH
from tablewright.errors import ValidationError

NAME = "Scan"
MODE = "by request"
LAYER = Layer.OLDER
SHAPE = Shape(
    Select=one_of("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
    IndexName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    TotalSegments=Number(least=1, most=1_000_000),
    ReturnConsumedCapacity=CAPACITY,
    TableName=TABLE_NAME,
    ConditionalOperator=CONDITIONAL_OPERATOR,
    ScanFilter=CONDITIONS,
    Segment=Number(least=0, most=999_999),
    Limit=Number(least=1),
    AttributesToGet=ListOf(Text(), shortest=1),
    ExclusiveStartKey=ITEM,
    ConsistentRead=Boolean(),
    FilterExpression=Text(),
    ProjectionExpression=Text(),
    ExpressionAttributeValues=ITEM,
    ExpressionAttributeNames=NAMES,
)

_EXPRESSIONS = ("ProjectionExpression", "FilterExpression")
_LEGACY = ("AttributesToGet", "ScanFilter", "ConditionalOperator")


class Segment(NamedTuple):
    """One of `total` equal parts of a table."""

    number: int
    total: int


class ScanRequest(NamedTuple):
    """Parsed Scan request."""

    table_name: str
    index_name: str | None
    selection: Selection
    start: Item | None
    limit: int | None
    segment: Segment | None
    consistent: bool
    capacity: str | None

    @property
    def mode(self) -> Literal["read", "snapshot"]:
        """A snapshot for an index: a local index may be completed from its table, and both must be of one commit."""
        return "read" if self.index_name is None else "snapshot"


def parse(request: dict[str, Any]) -> ScanRequest:
    """Parse the request, in AWS's order of checks."""
    require_one_style(request, _EXPRESSIONS, _LEGACY)
    older_projection, older_filter = legacy_projection(request), legacy_filter(request, "ScanFilter")
    start = start_key_of(request)
    segment = _segment_of(request)
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    selection = selection_of(request, scope, older_filter, older_projection)
    scope.finish()
    require_select_fits(request)
    return ScanRequest(
        table_name=request["TableName"],
        index_name=request.get("IndexName"),
        selection=selection,
        start=start,
        limit=request.get("Limit"),
        segment=segment,
        consistent=request.get("ConsistentRead") or False,
        capacity=request.get("ReturnConsumedCapacity"),
    )


def _segment_of(request: dict[str, Any]) -> Segment | None:
    number, total = request.get("Segment"), request.get("TotalSegments")
    if number is None and total is None:
        return None
    if total is None:
        raise ValidationError(
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present"
        )
    if number is None:
        raise ValidationError(
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present"
        )
    if number >= total:
        raise ValidationError(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {number} is not less than TotalSegments: {total}"
        )
    return Segment(number, total)


def run(tx: Reading, request: ScanRequest) -> Reply:
    """Read a page of the table, the index, or the segment."""
    source = source_of(tx, request.table_name, request.index_name, NAME, consistent=request.consistent)
    span = _span_of(source, request)
    for expression in (request.selection.projection, request.selection.filter):
        if expression is not None:
            source.table.require_scalar_keys(expression.nested_attributes)
    page = read_page(tx, source, span, request.selection, limit=request.limit)
    reply = page.reply(counts_only=request.selection.counts_only)
    meter = meter_for(source.table, request.capacity)
    if meter is not None:
        units = page_units(source, span, page, consistent=request.consistent)
        charge(meter, source, page, units, consistent=request.consistent)
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    return reply


def _span_of(source: ReadSource, request: ScanRequest) -> Span:
    start = request.start
    if start is not None:
        _require_start_key(source, start)
    request.selection.require_projected(source)
    span = EVERYTHING if request.segment is None else segment_span(*request.segment)
    if start is None:
        return span
    require_table_key(source, start)
    key = source.key_of(start)
    if key not in span:
        assert request.segment is not None
        raise ValidationError(
            f"{INVALID}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
            f"TotalSegments: {request.segment.total} Segment: {request.segment.number}"
        )
    return span.beyond(key, backward=False)


def _require_start_key(source: ReadSource, start: Item) -> None:
    if source.index is None:
        _require_table_start_key(source, start)
    if len(start) != len(source.key_names):
        raise ValidationError(INVALID)
    require_key_parts(source, source.keys.names, start)


def _require_table_start_key(source: ReadSource, start: Item) -> None:
    """Reject a start key without the attributes of the table's key and their types, in the words of a scan."""
    types = source.keys.types
    if {name: type_of(value) for name, value in start.items()} != {
        name: types[name] for name in source.key_names
    }:
        raise ValidationError(f"{INVALID}: {MISMATCH}")


def page_units(source: ReadSource, span: Span, page: RowPage, *, consistent: bool) -> float:
    """The capacity units of a page of a scan.

    A page that ended early read no partition after its last row; any other page read to the end of its span.
    """
    last = page.rows[-1][0] if page.last is not None else span.high
    rows = ((key, row.size) for key, row in page.rows)
    return scan_units(
        rows, span.low, last, partition_count(source.table, source.index), consistent=consistent
    )


def partition_count(table: StoredTable, index: StoredIndex | None = None) -> int:
    """The number of partitions of a table or a global index; a local index shares those of its table."""
    description = table.description
    if description.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST":
        return ON_DEMAND_PARTITIONS
    throughput = description
    if index is not None and index.kind == "global":
        throughput = next(
            entry for entry in description["GlobalSecondaryIndexes"] if entry["IndexName"] == index.name
        )
    units = throughput.get("ProvisionedThroughput", {})
    return partitions_for(units.get("ReadCapacityUnits", 0), units.get("WriteCapacityUnits", 0))


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
