"""Query: read the items of one partition, ordered by range key."""

from typing import Any, Literal, NamedTuple

from tablewright.dynamodb.expressions import KeyCondition, Scope, key_condition, require_one_style
from tablewright.dynamodb.expressions.legacy_parameters import key_conditions
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.engine.core.consumed_capacity import meter_for
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.reads.key_ranges import (
    INVALID,
    Span,
    require_key_parts,
    require_table_key,
    require_within,
    span_of,
    start_key_of,
)
from tablewright.engine.core.reads.page_reader import charge, read_page
from tablewright.engine.core.reads.read_sources import ReadSource, source_of
from tablewright.engine.core.reads.selections import (
    Selection,
    legacy_filter,
    legacy_projection,
    require_select_fits,
    selection_of,
)
from tablewright.engine.core.requests.scalars import ENVELOPE, violation_without_value
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
from tablewright.errors import ValidationError

NAME = "Query"
MODE = "by request"
SHAPE = Shape(
    Select=one_of("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
    IndexName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    ReturnConsumedCapacity=CAPACITY,
    QueryFilter=CONDITIONS,
    TableName=TABLE_NAME,
    ConditionalOperator=CONDITIONAL_OPERATOR,
    AttributesToGet=ListOf(Text(), shortest=1),
    Limit=Number(),
    KeyConditions=CONDITIONS,
    ExclusiveStartKey=ITEM,
    ConsistentRead=Boolean(),
    ScanIndexForward=Boolean(),
    KeyConditionExpression=Text(),
    FilterExpression=Text(),
    ProjectionExpression=Text(),
    ExpressionAttributeValues=ITEM,
    ExpressionAttributeNames=NAMES,
).newer("ConditionalOperator", enveloped=False)

_EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
_LEGACY = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")


class QueryRequest(NamedTuple):
    """Parsed Query request."""

    table_name: str
    index_name: str | None
    keys: KeyCondition
    selection: Selection
    filter_parameter: str
    start: Item | None
    limit: int | None
    backward: bool
    consistent: bool
    capacity: str | None

    @property
    def mode(self) -> Literal["read", "snapshot"]:
        """A snapshot for an index: a local index may be completed from its table, and both must be of one commit."""
        return "read" if self.index_name is None else "snapshot"


def parse(request: dict[str, Any]) -> QueryRequest:
    """Parse the request, in AWS's order of checks."""
    limit = request.get("Limit")
    if limit is not None and limit < 1:
        raise violation_without_value("Limit", "Member must have value greater than or equal to 1")
    require_one_style(request, _EXPRESSIONS, _LEGACY)
    older_filter, older_projection = legacy_filter(request, "QueryFilter"), legacy_projection(request)
    start = start_key_of(request)
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    keys = _key_condition_of(request, scope)
    selection = selection_of(request, scope, older_filter, older_projection)
    scope.finish()
    if not keys.tests:
        raise ValidationError("Conditions can be of length 1 or 2 only")
    require_select_fits(request, envelope=ENVELOPE)
    return QueryRequest(
        table_name=request["TableName"],
        index_name=request.get("IndexName"),
        keys=keys,
        selection=selection,
        filter_parameter="Filter Expression" if older_filter is None else "QueryFilter",
        start=start,
        limit=limit,
        backward=request.get("ScanIndexForward") is False,
        consistent=request.get("ConsistentRead") or False,
        capacity=request.get("ReturnConsumedCapacity"),
    )


def _key_condition_of(request: dict[str, Any], scope: Scope) -> KeyCondition:
    text = request.get("KeyConditionExpression")
    if text is not None:
        return key_condition(text, scope)
    if request.get("KeyConditions") is None:
        raise ValidationError(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    return key_conditions(request["KeyConditions"])


def run(tx: Reading, request: QueryRequest) -> Reply:
    """Read a page of the range that the key condition selects."""
    source = source_of(tx, request.table_name, request.index_name, NAME, consistent=request.consistent)
    span = _span_of(source, request)
    _require_readable(source, request)
    page = read_page(tx, source, span, request.selection, limit=request.limit, backward=request.backward)
    reply = page.reply(counts_only=request.selection.counts_only)
    meter = meter_for(source.table, request.capacity)
    if meter is not None:
        units = read_units(page.size, consistent=request.consistent)
        charge(meter, source, page, units, consistent=request.consistent)
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    return reply


def _span_of(source: ReadSource, request: QueryRequest) -> Span:
    """The span to read. AWS checks the start key and the key condition attribute by attribute."""
    keys, start = source.keys, request.start
    if start is None:
        return span_of(request.keys.match(keys.hash, keys.range, keys.types))
    if len(start) != len(source.key_names):
        raise ValidationError(INVALID)
    require_key_parts(source, keys.hash, start)
    chosen = request.keys.match(keys.hash, keys.range, keys.types)
    require_key_parts(source, keys.range, start)
    require_table_key(source, start)
    span = span_of(chosen)
    require_within(source, chosen, span, start, backward=request.backward)
    return span.beyond(source.key_of(start), backward=request.backward)


def _require_readable(source: ReadSource, request: QueryRequest) -> None:
    """Reject a projection or a filter that the source cannot serve."""
    selection = request.selection
    if selection.projection is not None:
        source.table.require_scalar_keys(selection.projection.nested_attributes)
    if selection.filter is not None:
        selection.require_filter_without_keys(source, request.filter_parameter)
    selection.require_projected(source)
    if selection.filter is not None:
        source.table.require_scalar_keys(selection.filter.nested_attributes)
