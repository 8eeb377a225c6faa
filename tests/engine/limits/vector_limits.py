"""The limits of vector indexes and of SearchVectors."""

from collections.abc import Callable
from contextlib import suppress

from tests.engine.features.vectors.vector_table import NAMED, create_request, search_request, vector_index
from tests.engine.limits.limit import Call, Limit, Rejected, Request

TOPIC = "Vector indexes"


def _creating(request: Callable[[int], Request]) -> Callable[[Call, int], object]:
    """Create a table and delete it."""

    def send(call: Call, value: int) -> object:
        reply = call("CreateTable", request(value))
        call("DeleteTable", NAMED)
        return reply

    return send


def _filters(count: int) -> Request:
    schema = [
        {"AttributeName": f"a{number}", "SearchSchemaElementType": "INLINE_FILTER"} for number in range(count)
    ]
    return create_request(vector_index(SearchSchema=schema))


def _search(call: Call, results: int) -> object:
    with suppress(Rejected):
        call("CreateTable", create_request(vector_index()))
    try:
        return call("SearchVectors", search_request(1, 0, 0, TopK=results))
    finally:
        call("DeleteTable", NAMED)


LIMITS = (
    Limit(
        TOPIC,
        "vector indexes of a table",
        _creating(lambda count: create_request(*(vector_index(f"index-{n}") for n in range(count)))),
        most=5,
        above="VectorIndex count exceeds the per-table limit of 5",
    ),
    Limit(
        TOPIC,
        "dimensions of a vector",
        _creating(lambda size: create_request(vector_index(Dimensions=size))),
        least=1,
        most=4096,
        below="Member must have value greater than or equal to 1",
        above="Number of dimensions must be between 1 and 4096 inclusive",
    ),
    Limit(
        TOPIC,
        "inline filters of a vector index",
        _creating(_filters),
        most=18,
        above="Member must have INLINE_FILTER count less than or equal to 18",
    ),
    Limit(
        TOPIC,
        "results of SearchVectors (`TopK`)",
        _search,
        least=1,
        most=100,
        below="Member must have value greater than or equal to 1",
        above="The value must be between 1 and 100 inclusive",
    ),
)
