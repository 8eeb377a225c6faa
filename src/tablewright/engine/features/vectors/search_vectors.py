"""SearchVectors: find the items of a vector index whose vectors are nearest to a given one."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import Projection, Scope, projection
from tablewright.dynamodb.expressions.condition import bound_condition
from tablewright.dynamodb.limits import MAX_DIMENSIONS, MAX_SEARCH_RESULTS
from tablewright.dynamodb.values.attributes import normalise
from tablewright.dynamodb.values.item_sizes import text_size
from tablewright.dynamodb.values.stored_items import StoredItem, encode
from tablewright.dynamodb.values.vectors import WIDTH, as_attribute, pack_numbers, search_bytes
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.scalars import violation_without_value
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ITEM,
    NAMES,
    TABLE_NAME,
    VALUE,
    ListOf,
    Number,
    Shape,
    Text,
    required,
)
from tablewright.engine.core.sessions import Reading, Sessions
from tablewright.engine.features.vectors.nearest import NearestVectors, VectorQuery, load_numpy
from tablewright.engine.features.vectors.vector_index import (
    CompiledVectorIndex,
    item_part,
    projected_item,
    vector_index_of,
    vector_part,
)
from tablewright.engine.features.vectors.vector_search import (
    KIND,
    Equality,
    Found,
    Range,
    equalities_of,
    range_of,
    search,
)
from tablewright.errors import SerializationError, ValidationError

MAX_REPLY = 16 * 1024 * 1024

_INVALID_VECTOR = (
    "Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point "
    "number attribute"
)
_NAME = "[a-zA-Z0-9_.-]+"
_EXPECTED = {"SearchVector": "a sequence", "TopK": "i32"}


class SearchShape(Shape):
    """The shape of a search. AWS's search endpoint reports missing members and nulls in its own words."""

    __slots__ = ()

    def check(self, request: Any) -> None:
        """Raise what AWS would, unless the request has this shape."""
        if not isinstance(request, dict):
            self.require_type(request)
        for name in self.members:
            if name in request and request[name] is None:
                raise SerializationError(
                    f"invalid type: null, expected {_EXPECTED.get(name, 'a string')} {_end(request)}"
                )
        for name in self._mandatory:
            if name not in request:
                raise ValidationError(f"missing field `{name}` {_end(request)}")
        number = request["TopK"]
        if isinstance(number, float):
            raise SerializationError(f"invalid type: floating point `{number}`, expected i32 {_end(request)}")
        super().check(request)


def _end(request: dict[str, Any]) -> str:
    """The place that AWS's JSON parser names: the end of the request without spaces."""
    return f"at line 1 column {len(encode(request, default=str))}"


NAME = "SearchVectors"
MODE = "steps"
SHAPE = SearchShape(
    TableName=TABLE_NAME,
    IndexName=Text(required=True),
    SearchVector=required(ListOf(VALUE)),
    TopK=required(Number()),
    ReturnConsumedCapacity=CAPACITY,
    SearchConditionExpression=Text(),
    ProjectionExpression=Text(),
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=ITEM,
)


class SearchVectors(NamedTuple):
    """Parsed SearchVectors request; `vector` is packed, and `equalities` is None without a condition."""

    table: str
    index_name: str
    vector: bytes
    limit: int
    equalities: list[Equality] | None
    projection: Projection | None
    capacity: str | None


def parse(request: dict[str, Any]) -> SearchVectors:
    """Parse the request, in AWS's order of checks."""
    _require_length("IndexName", request["IndexName"], 3, 255)
    if re.fullmatch(_NAME, request["IndexName"]) is None:
        raise violation_without_value("IndexName", f"Member must satisfy regular expression pattern: {_NAME}")
    _require_length("SearchVector", request["SearchVector"], 1, MAX_DIMENSIONS)
    limit = request["TopK"]
    if limit < 1:
        raise violation_without_value("TopK", "Member must have value greater than or equal to 1")
    if limit > MAX_SEARCH_RESULTS:
        raise ValidationError(
            f"Provided TopK value '{limit}' is out of valid range. "
            f"The value must be between 1 and {MAX_SEARCH_RESULTS} inclusive"
        )
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    text, shown = request.get(KIND), request.get("ProjectionExpression")
    equalities = None if text is None else equalities_of(bound_condition(text, scope, KIND))
    selected = None if shown is None else projection(shown, scope)
    scope.finish()
    return SearchVectors(
        table=request["TableName"],
        index_name=request["IndexName"],
        vector=_packed(request["SearchVector"]),
        limit=limit,
        equalities=equalities,
        projection=selected,
        capacity=request.get("ReturnConsumedCapacity"),
    )


def _require_length(name: str, value: Any, shortest: int, longest: int) -> None:
    if len(value) < shortest:
        raise violation_without_value(name, f"Member must have length greater than or equal to {shortest}")
    if len(value) > longest:
        raise violation_without_value(name, f"Member must have length less than or equal to {longest}")


def _packed(elements: list[Any]) -> bytes:
    try:
        return pack_numbers([normalise(element)["N"] for element in elements])
    except (KeyError, OverflowError, ValidationError):
        raise ValidationError(_INVALID_VECTOR) from None


def run(tx: Reading, request: SearchVectors) -> Callable[[Sessions], Reply]:
    """Find the index, and the rows that the condition selects; return the search."""
    table = tx.table(request.table)
    index = vector_index_of(table, request.index_name)
    if index is None:
        raise ValidationError(f"The table does not have the specified index: {request.index_name}")
    if index.is_building:
        raise ValidationError(f"Cannot search backfilling vector index: {index.name}")
    dimensions = len(request.vector) // WIDTH
    if dimensions != index.dimensions:
        raise ValidationError(
            f"Input search vector dimension {dimensions} does not match vector index dimension {index.dimensions}"
        )
    if request.projection is not None:
        table.require_scalar_keys(request.projection.nested_attributes)
    return partial(_search, index, range_of(index, request.equalities), request)


def _search(index: CompiledVectorIndex, chosen: Range, request: SearchVectors, sessions: Sessions) -> Reply:
    """Compare the vector with all rows of the range, and return the nearest."""
    query, numpy = VectorQuery(request.vector, index.distance), load_numpy()
    results = search(sessions, index, chosen, lambda: NearestVectors(query, request.limit, numpy))
    return _reply(index, request, results)


def _reply(index: CompiledVectorIndex, request: SearchVectors, results: list[Found]) -> Reply:
    reply: Reply = {
        "SearchResults": [
            {"Item": _shown(index, request, result.row), "Score": result.score} for result in results
        ]
    }
    size = sum(len(result.row.raw) for result in results)
    if size > MAX_REPLY and len(encode(reply, default=_raw)) > MAX_REPLY:
        raise ValidationError(
            f"The results are larger than {MAX_REPLY // (1024 * 1024)} MB; use a ProjectionExpression or a lower TopK"
        )
    if request.capacity in ("TOTAL", "INDEXES"):
        returned = sum(_size_without_vector(index, result.row) for result in results)
        reply["ConsumedCapacity"] = {"VectorSearchRequestBytes": search_bytes(index.dimensions, returned)}
    return reply


def _raw(leaf: Any) -> str:
    return str(leaf.raw.decode())


def _size_without_vector(index: CompiledVectorIndex, row: StoredItem) -> int:
    return row.size - index.dimensions * WIDTH - text_size(index.attribute)


def _shown(index: CompiledVectorIndex, request: SearchVectors, row: StoredItem) -> Any:
    """The projected item; the vector is shown only on request, as the index has it."""
    if request.projection is None:
        return item_part(index, row)
    item = projected_item(index, row)
    if index.attribute in request.projection.attributes:
        item = {**item, index.attribute: as_attribute(vector_part(index, row))}
    return request.projection.of(item)
